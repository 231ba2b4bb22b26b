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
const HOURS_BEFORE = 2
// The views are chosen above, together with the list.
const NO_SELECT = { viewSelectProps: { style: { display: 'none' } } }
const HOURS = {
  ...NO_SELECT,
  withAllDaySlots: false,
  slotHeight: 40,
  startScrollTime: `${String(Math.max(0, dayjs().hour() - HOURS_BEFORE)).padStart(2, '0')}:00:00`,
  scrollAreaProps: { mah: 560 },
}
// The calendar's own forms put Chinese dates together as English ones: "十一月 21, 2026".
const CHINESE = {
  day: { headerFormat: 'YYYY年M月D日 dddd' },
  week: { weekLabelFormat: 'M月D日' },
  month: { monthYearSelectProps: { labelFormat: 'YYYY年M月' } },
  agenda: { headerFormat: 'YYYY年M月D日', dateHeaderFormat: 'M月D日 dddd' },
}
const FORM = 'YYYY-MM-DD HH:mm:ss'

/** Every coming fire that the bot names, as an event of half an hour. */
function eventsOf(reminder: Reminder): ScheduleEventData[] {
  const fires = reminder.next?.length ? reminder.next : reminder.due_at ? [reminder.due_at] : []
  return fires.map((fire) => {
    const start = dayjs(fire)
    const end = start.add(EVENT_MINUTES, 'minute')
    return { id: `${reminder.id} ${fire}`, title: reminder.text, start: start.format(FORM), end: end.format(FORM), color: 'amber' }
  })
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
  const events = reminders.filter((one) => one.status === 'active').flatMap(eventsOf)
  const pick = (picked: ScheduleEventData) => {
    const reminder = reminders.find((one) => String(picked.id).startsWith(`${one.id} `))
    if (reminder) onPick(reminder)
  }
  const forms = language === 'zh' ? CHINESE : { day: {}, week: {}, month: {}, agenda: {} }
  const shared = { events, labels, locale: language === 'zh' ? 'zh-cn' : 'en', onEventClick: pick }
  return (
    <div className="calendar card" data-view={view}>
      {view === 'agenda' ? (
        <AgendaView {...shared} {...forms.agenda} rangeStart={dayjs().toDate()} rangeEnd={dayjs().add(AGENDA_DAYS, 'day').toDate()} />
      ) : (
        <Schedule
          {...shared}
          view={view}
          onViewChange={() => undefined}
          date={date}
          onDateChange={setDate}
          dayViewProps={{ ...HOURS, ...forms.day }}
          weekViewProps={{ ...HOURS, ...forms.week }}
          monthViewProps={{ ...NO_SELECT, ...forms.month }}
        />
      )}
    </div>
  )
}
