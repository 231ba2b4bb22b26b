import '@mantine/dates/styles.css'
import '@mantine/schedule/styles.css'
import 'dayjs/locale/zh-cn'
import { AgendaView, Schedule, type ScheduleEventData, type ScheduleLabelsOverride } from '@mantine/schedule'
import dayjs from 'dayjs'
import { useState, type ReactNode } from 'react'
import { useLanguage, useWords } from '../language/language'
import type { Reminder } from '../wire/frames'
import type { View } from './Reminders'

const EVENT_MINUTES = 30
const AGENDA_DAYS = 30
const FORM = 'YYYY-MM-DD HH:mm:ss'

function event(reminder: Reminder): ScheduleEventData {
  const start = dayjs(reminder.due_at)
  return {
    id: reminder.id,
    title: reminder.text,
    start: start.format(FORM),
    end: start.add(EVENT_MINUTES, 'minute').format(FORM),
    color: 'amber',
  }
}

function useLabels(): ScheduleLabelsOverride {
  const language = useLanguage((state) => state.language)
  const words = useWords()
  if (language === 'en') return { agenda: words.reminders.agenda }
  return {
    day: '日', week: '周', month: '月', year: '年', allDay: '全天', weekday: '星期', timeSlot: '时段', today: '今天', next: '下一个',
    previous: '上一个', more: '更多', selectMonth: '选择月份', selectYear: '选择年份', switchToDayView: '日视图',
    switchToWeekView: '周视图', switchToMonthView: '月视图', switchToYearView: '年视图', viewSelectLabel: '视图',
    noEvents: '没有提醒', moreLabel: (count) => `还有 ${count} 条`, agenda: '日程',
  }
}

/** The reminders that are still to come, by their times. */
export function Calendar({ reminders, view, onPick }: {
  reminders: Reminder[]
  view: Exclude<View, 'list'>
  onPick: (reminder: Reminder) => void
}): ReactNode {
  const language = useLanguage((state) => state.language)
  const labels = useLabels()
  const [date, setDate] = useState(() => dayjs().format('YYYY-MM-DD'))
  const events = reminders.filter((one) => one.due_at && one.status === 'active').map(event)
  const pick = (picked: ScheduleEventData) => {
    const reminder = reminders.find((one) => one.id === picked.id)
    if (reminder) onPick(reminder)
  }
  const shared = { events, labels, locale: language === 'zh' ? 'zh-cn' : 'en', onEventClick: pick }
  return (
    <div className="calendar card" data-view={view}>
      {view === 'agenda' ? (
        <AgendaView {...shared} rangeStart={dayjs().toDate()} rangeEnd={dayjs().add(AGENDA_DAYS, 'day').toDate()} />
      ) : (
        <Schedule
          {...shared}
          view={view}
          onViewChange={() => undefined}
          date={date}
          onDateChange={setDate}
          dayViewProps={{ withHeader: true }}
        />
      )}
    </div>
  )
}
