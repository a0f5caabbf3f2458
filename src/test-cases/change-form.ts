import type { ModalView } from '@slack/types';
import type { Form } from '../slack/form.ts';
import type { Choosable } from '../slack/modal-blocks.ts';
import { ACTIONS } from './actions.ts';
import type { TestPlaces } from './catalogue.ts';
import { enteredIn } from './entered-in.ts';
import { carriedIn, formView, projectChoices, suiteBlock, suiteChoices } from './form-view.ts';

/** The form with the suites of the project that is chosen in it. */
export function changeProject(places: TestPlaces, form: Form): ModalView {
  return formView(places, carriedIn(form.metadata), enteredIn(form, places));
}

/** What a list of the form offers that is too long to come with it. */
export function optionsFor(
  { catalogue }: TestPlaces,
  { actionId, blockId }: { readonly actionId: string; readonly blockId: string },
): readonly Choosable[] {
  if (actionId === ACTIONS.project) return projectChoices(catalogue.testProjects);
  const project = catalogue.testProjects.find(({ id }) => suiteBlock(id) === blockId);
  return project === undefined ? [] : suiteChoices(project);
}
