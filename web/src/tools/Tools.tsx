import { Alert, Tabs, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconChevronLeft, IconPlugConnected, IconServer } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { Link, useSearchParams } from 'wouter'
import { duration } from '../format/time'
import { useWords } from '../language/language'
import { plural } from '../language/words'
import { useViewpoint } from '../reminders/useReminderActions'
import { Block } from '../room/ToolCard'
import { PageServers } from '../servers/PageServers'
import { Answer } from '../shell/Answer'
import { Page } from '../shell/Page'
import { useIsAdmin } from '../shell/pages'
import { fetchTools, type Tool } from './api'
import { groupsOf, nameOf } from './groups'
import { useToolHelp } from './help'
import { ToolServers } from './ToolServers'
import { TryIt } from './TryIt'
import './tools.css'

interface ToolListProps {
  tools: Tool[]
  chosen: string | null
  isServers: boolean
  isManaged: boolean
}

function ToolList({ tools, chosen, isServers, isManaged }: ToolListProps): ReactNode {
  const words = useWords()
  const helpOf = useToolHelp()
  const isAdmin = useIsAdmin()
  const [wanted, setWanted] = useState('')
  const shown = tools.filter((tool) => `${tool.name} ${tool.description} ${helpOf(tool)}`.toLowerCase().includes(wanted.toLowerCase()))
  return (
    <div className="tool-list">
      <Link href="/tools?servers=1" className="own-servers" aria-current={isServers ? 'true' : undefined}>
        <IconPlugConnected size={18} aria-hidden="true" />
        {words.servers.title}
      </Link>
      {isAdmin && (
        <Link href="/tools?manage=1" className="bot-servers" aria-current={isManaged ? 'true' : undefined}>
          <IconServer size={18} aria-hidden="true" />
          {words.toolServers.title}
        </Link>
      )}
      <TextInput aria-label={words.tools.find} placeholder={words.tools.find} value={wanted} onChange={(event) => setWanted(event.currentTarget.value)} />
      {groupsOf(shown).map(([group, members]) => (
        <section key={group} aria-label={nameOf(words.toolGroups, group)}>
          <h2>{nameOf(words.toolGroups, group)}</h2>
          <ul className="list">
            {members.map((tool) => (
              <li key={tool.name}>
                <Link href={`/tools?tool=${encodeURIComponent(tool.name)}`} aria-current={tool.name === chosen ? 'true' : undefined}>
                  <span className="mono tool-list-name">{tool.name}</span>
                  <span className="tool-list-help">{helpOf(tool).split('\n')[0]}</span>
                  <Facts tool={tool} />
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function OneTool({ tool }: { tool: Tool }): ReactNode {
  const words = useWords()
  const helpOf = useToolHelp()
  return (
    <section className="card one-tool" aria-labelledby="tool-name">
      <h2 className="mono" id="tool-name">
        {tool.name}
      </h2>
      <p className="tool-description">{helpOf(tool)}</p>
      {!tool.health.is_ok && (
        <Alert color="red" variant="outline" title={words.tools.notWell} mb="md">
          {tool.health.detail}
        </Alert>
      )}
      <Tabs defaultValue="try" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="try">{words.tools.try}</Tabs.Tab>
          <Tabs.Tab value="schema">{words.tools.schema}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="try" pt="md">
          <TryIt tool={tool} />
        </Tabs.Panel>
        <Tabs.Panel value="schema" pt="md">
          <Block label={words.tools.schema} value={tool.parameters} />
        </Tabs.Panel>
      </Tabs>
    </section>
  )
}

function Content({ tools }: { tools: Tool[] }): ReactNode {
  const words = useWords()
  const [query] = useSearchParams()
  const chosen = query.get('tool')
  const tool = tools.find((one) => one.name === chosen)
  const isServers = query.has('servers')
  const isManaged = query.has('manage')
  const shown = tool ? <OneTool key={tool.name} tool={tool} /> : <p className="nothing">{words.tools.choose}</p>
  return (
    <div className="tools">
      <Link href="/tools" className="all-tools">
        <IconChevronLeft size={18} aria-hidden="true" />
        {words.tools.all}
      </Link>
      <ToolList tools={tools} chosen={chosen} isServers={isServers} isManaged={isManaged} />
      {isManaged ? <ToolServers /> : isServers ? <PageServers /> : shown}
    </div>
  )
}

/** The facts of a tool below its name: how often it ran, how long it took, and its special cases. */
function Facts({ tool }: { tool: Tool }): ReactNode {
  const words = useWords()
  const facts = [
    tool.calls > 0 && plural(words.tools.calls, tool.calls),
    tool.p95_ms != null && `${words.tools.p95} ${duration(tool.p95_ms)}`,
    tool.confirm && words.tools.confirm,
    tool.source !== 'built-in' && tool.source,
    !tool.health.is_ok && words.tools.notWell,
  ].filter(Boolean)
  return facts.length > 0 && <span className="muted figures tool-list-numbers">{facts.join(' · ')}</span>
}

/** The functions of the bot: what they take, and a form to try each. */
export function Tools(): ReactNode {
  const words = useWords()
  const viewpoint = useViewpoint()
  const query = useQuery({ queryKey: ['tools', viewpoint], queryFn: () => fetchTools(viewpoint) })
  const empty = (
    <div className="nothing">
      <p>{words.tools.none}</p>
      <p>{words.tools.noneHint}</p>
    </div>
  )
  return (
    <Page title={words.tools.title}>
      <div className="page-column">
        <Answer query={query} isEmpty={(tools) => tools.length === 0} empty={empty}>
          {(tools) => <Content tools={tools} />}
        </Answer>
      </div>
    </Page>
  )
}
