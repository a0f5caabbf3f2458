import type { Datepicker, DateTimepicker, Timepicker } from '@slack/types';
import { useReader } from '../text/reader.ts';
import { localOf, secondsOf } from './date-time-local.ts';
import { useField } from './field.ts';
import { chosenIn } from './held.ts';
import { useSurface } from './surface.ts';

const kinds = { datepicker: 'date', timepicker: 'time', datetimepicker: 'datetime-local' } as const;
const names = { datepicker: 'Date', timepicker: 'Time', datetimepicker: 'Date and time' } as const;

/** A date, a time of the day, or both in the person's own zone. */
export function TimeInput({ element }: { element: Datepicker | Timepicker | DateTimepicker }) {
  const { timeZone } = useReader();
  const { surface, key, held } = useSurface(element);
  const field = useField(names[element.type]);
  const isMoment = element.type === 'datetimepicker';
  const value = chosenIn(held)[0]?.value ?? '';
  const enter = (typed: string): void => {
    const next = isMoment && typed !== '' ? String(secondsOf(typed, timeZone)) : typed;
    void surface.choose(key, next === '' ? [] : [{ value: next, label: '' }], element.type);
  };
  return (
    <input
      {...field}
      type={kinds[element.type]}
      value={isMoment && value !== '' ? localOf(Number(value), timeZone) : value}
      onChange={({ currentTarget }) => enter(currentTarget.value)}
    />
  );
}
