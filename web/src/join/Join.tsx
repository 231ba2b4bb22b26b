import { Button, SegmentedControl, TextInput, useMantineColorScheme } from '@mantine/core'
import { IconRobot } from '@tabler/icons-react'
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { LANGUAGES, useLanguage, useWords } from '../language/language'
import { useRoom } from '../room/store'
import { isSetupOffered } from '../settings/api'
import { isRoomName, keepToken, proposedName, proposedRoom, token } from '../wire/identity'
import { ask, Refused } from '../wire/rest'

const RETRY_MS = 1500
const UNAUTHORISED = 401

/** Whether the bot lets this tab in; asks again until it is reached. */
async function untilReached(onUnreachable: () => void): Promise<void> {
  for (;;) {
    try {
      await ask('/api/chat/sessions')
      return
    } catch (error) {
      if (error instanceof Refused && error.status < 500) throw error
      onUnreachable()
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

function Looks(): ReactNode {
  const words = useWords()
  const { language, choose } = useLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <div className="join-looks">
      <SegmentedControl
        aria-label={words.join.language}
        value={language}
        onChange={(value) => void choose(value)}
        data={Object.entries(LANGUAGES).map(([value, { name }]) => ({ value, label: name }))}
      />
      <SegmentedControl
        aria-label={words.join.colours}
        value={colorScheme}
        onChange={(value) => setColorScheme(value as typeof colorScheme)}
        data={[
          { value: 'auto', label: words.join.system },
          { value: 'light', label: words.join.light },
          { value: 'dark', label: words.join.dark },
        ]}
      />
    </div>
  )
}

/** The door: who one is and which room. */
export function Join(): ReactNode {
  const words = useWords()
  const enter = useRoom((room) => room.enter)
  const [, go] = useLocation()
  const [name, setName] = useState(proposedName)
  const [room, setRoom] = useState(proposedRoom)
  const [secret, setSecret] = useState(token)
  const [needsToken, setNeedsToken] = useState(false)
  const [isTried, setTried] = useState(false)
  const [state, setState] = useState<'idle' | 'entering' | 'unreachable'>('idle')
  const [problem, setProblem] = useState('')
  const [tokenProblem, setTokenProblem] = useState('')
  const tokenField = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (tokenProblem) tokenField.current?.focus()
  }, [tokenProblem])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!name.trim() || !isRoomName(room)) return
    setProblem('')
    setTokenProblem('')
    setState('entering')
    keepToken(secret.trim())
    try {
      await untilReached(() => setState('unreachable'))
      if (await isSetupOffered().catch(() => false)) go('/setup')
      enter({ name: name.trim(), room })
    } catch (error) {
      const message = error instanceof Error ? error.message : words.notLoaded
      const isTokenProblem = error instanceof Refused && error.status === UNAUTHORISED
      if (isTokenProblem) {
        setNeedsToken(true)
        setTokenProblem(secret.trim() ? words.join.tokenWrong : message)
      } else setProblem(message)
      setState('idle')
    }
  }
  return (
    <main className="join" id="content" tabIndex={-1}>
      <form className="join-card" onSubmit={(event) => void submit(event)} noValidate>
        <span className="face face-bot join-face" aria-hidden="true">
          <IconRobot size={28} stroke={1.6} />
        </span>
        <h1>{words.join.title}</h1>
        {!needsToken && <p className="muted">{words.join.lead}</p>}
        <TextInput
          label={words.join.name}
          description={words.join.nameHint}
          value={name}
          autoFocus
          maxLength={40}
          autoComplete="nickname"
          onChange={(event) => setName(event.currentTarget.value)}
          error={isTried && !name.trim() && words.join.nameMissing}
        />
        <TextInput
          label={words.join.room}
          description={words.join.roomHint}
          value={room}
          maxLength={64}
          onChange={(event) => setRoom(event.currentTarget.value)}
          error={isTried && !isRoomName(room) && words.join.roomWrong}
        />
        {(needsToken || secret) && (
          <TextInput
            type="password"
            ref={tokenField}
            error={tokenProblem}
            label={words.join.token}
            description={words.join.tokenHint}
            value={secret}
            onChange={(event) => setSecret(event.currentTarget.value)}
          />
        )}
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <p role="status" className="muted join-status">
          {state === 'unreachable' && words.join.unreachable}
        </p>
        <Button type="submit" size="md" fullWidth loading={state !== 'idle'}>
          {words.join.enter}
        </Button>
        <Looks />
      </form>
    </main>
  )
}
