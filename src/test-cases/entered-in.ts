import { cleanLine } from '../lib/clean-line.ts';
import type { Form } from '../slack/form.ts';
import { type TestPlaces, testProjectWith } from './catalogue.ts';
import { PRIORITIES, TYPES, wordOf } from './choices.ts';
import { BLOCKS, type Entered, PROJECT_BLOCK, suiteBlock } from './form-view.ts';

/** What is entered in the form: only what was chosen, the title as one that is not empty. */
export function enteredIn({ values }: Pick<Form, 'values'>, places: TestPlaces): Entered {
  const project = testProjectWith(places, values.get(PROJECT_BLOCK));
  const title = values.get(BLOCKS.title)?.trim() ?? '';
  const description = values.get(BLOCKS.description) ?? '';
  const priority = wordOf(PRIORITIES, values.get(BLOCKS.priority));
  const type = wordOf(TYPES, values.get(BLOCKS.type));
  const suiteId = project && values.get(suiteBlock(project.id))?.trim();
  return {
    ...(project && { spaceSlug: project.space, projectId: project.id }),
    ...(cleanLine(title) !== '' && { title }),
    ...(description.trim() !== '' && { description }),
    ...(priority !== undefined && { priority }),
    ...(type !== undefined && { type }),
    ...(suiteId !== undefined && suiteId !== '' && { suiteId }),
  };
}
