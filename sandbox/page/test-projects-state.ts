import type { Service } from '../service/service-handle.ts';
import type { TestCase, TestProject } from '../service/test-cases/test-project.ts';
import type { PageTestProject } from './page-state.ts';

/** More would only make each change of the page slower. */
const SHOWN_CASES = 50;

export function testProjectsState(service: Service): PageTestProject[] {
  return service.testProjects().map((project) => ({
    id: project.id,
    name: project.name,
    caseCount: project.cases.length,
    cases: project.cases
      .slice(-SHOWN_CASES)
      .reverse()
      .map((each) => ({ id: each.id, title: each.title, words: wordsOf(each, project) })),
  }));
}

/** “DRAFT · HIGH · MANUAL · Smoke”. */
function wordsOf({ status, priority, type, suiteId }: TestCase, { suites }: TestProject): string {
  const suite = suites.find(({ id }) => id === suiteId)?.name;
  return [status, priority, type, suite].filter((word) => word !== undefined).join(' · ');
}
