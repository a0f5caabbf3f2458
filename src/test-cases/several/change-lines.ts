import type { ModalView } from '@slack/types';
import type { Form } from '../../slack/form.ts';
import type { TestPlaces } from '../catalogue.ts';
import { enteredIn } from '../entered-in.ts';
import { carriedIn, formView } from '../form-view.ts';
import {
  BOX_MAX,
  BOXES_MAX,
  type EnteredLines,
  enteredLines,
  type LinesCarried,
  linesCarriedIn,
  linesForm,
} from './lines-form.ts';
import { DESCRIPTION_STAYS } from './lines-words.ts';
import { packed } from './pack-rows.ts';
import { type NewLine, writeLine } from './read-lines.ts';

/** The form for several in the place of that for one, with what was entered there as the first line. */
export function severalInstead(places: TestPlaces, form: Form): ModalView {
  const { channel, round } = carriedIn(form.metadata);
  const entered = enteredIn(form, places);
  const { title, priority, type, description } = entered;
  if (description !== undefined) {
    return formView(places, { channel, round }, entered, { text: DESCRIPTION_STAYS, at: null });
  }
  const line = { title: title ?? '', ...(priority && { priority }), ...(type && { type }) };
  const lines = title === undefined ? [] : [line];
  return formOfLines(places, channel, { ...entered, lines });
}

/** A form that begins with lines. */
export function formOfLines(
  places: TestPlaces,
  channel: string,
  wanted: Omit<EnteredLines, 'boxes'> & { readonly lines: readonly NewLine[] },
): ModalView {
  const texts = packed(wanted.lines.map(writeLine), BOX_MAX);
  const boxes = texts.length > 0 ? texts : [''];
  return linesForm(places, { channel, boxes: boxes.length }, { ...wanted, boxes });
}

/** The form with the suites of the project that is chosen in it. */
export function changeLinesProject(places: TestPlaces, form: Form): ModalView {
  return linesForm(places, anew(form), enteredLines(form, places));
}

/** The form with one more text area. */
export function moreLines(places: TestPlaces, form: Form): ModalView {
  const carry = anew(form);
  const boxes = Math.min(carry.boxes + 1, BOXES_MAX);
  return linesForm(places, { ...carry, boxes }, enteredLines(form, places));
}

/** Not previewed. */
function anew({ metadata }: Form): LinesCarried {
  const { channel, boxes } = linesCarriedIn(metadata);
  return { channel, boxes };
}
