import { isObject } from '../exchange.ts';
import { type ElementState, isFilled } from './input-state.ts';
import { stateValues } from './inputs.ts';
import type { OpenView } from './world.ts';

/** Throws what Slack says to the person instead of submitting the modal. */
export function checkSubmitted({ view, inputs }: OpenView): void {
  const values = stateValues(view.blocks, inputs);
  for (const block of view.blocks.filter(({ type }) => type === 'input')) {
    for (const [actionId, state] of Object.entries(values[String(block.block_id)] ?? {})) {
      if (block.optional !== true && !isFilled(state)) throw new Error(`${actionId} is required.`);
      const problem = problemOf(state, isObject(block.element) ? block.element : {});
      if (problem) throw new Error(`${actionId} wants ${problem}.`);
    }
  }
}

function problemOf({ type, value }: ElementState, element: Record<string, unknown>): string | null {
  if (typeof value !== 'string') return null;
  switch (type) {
    case 'plain_text_input':
      return value.length < Number(element.min_length ?? 0)
        ? `${element.min_length} characters`
        : null;
    case 'email_text_input':
      return /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(value) ? null : 'an address';
    case 'url_text_input':
      return URL.canParse(value) ? null : 'a link';
    case 'number_input':
      return isNumber(value, element) ? null : 'a number that it takes';
    default:
      return null;
  }
}

function isNumber(value: string, element: Record<string, unknown>): boolean {
  const number = Number(value);
  const least = Number(element.min_value ?? Number.NEGATIVE_INFINITY);
  const most = Number(element.max_value ?? Number.POSITIVE_INFINITY);
  const isWhole = element.is_decimal_allowed === true || Number.isInteger(number);
  return Number.isFinite(number) && isWhole && number >= least && number <= most;
}
