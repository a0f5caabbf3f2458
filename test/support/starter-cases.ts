import type { RequestedBy } from '../../ask/contract/approval-body.ts';
import type { STARTERS } from '../../ask/starters.ts';

interface StarterCase {
  readonly env: Readonly<Record<string, string>>;
  /** null: nobody. */
  readonly starter: RequestedBy | null;
}

const octocat = { login: 'octocat', at: 'github' };
const ana = { email: 'ana@example.com' };
const schedule = (at: string) => ({ login: '[schedule]', at });

function github(name: string, attempt: string, actor: string) {
  return {
    GITHUB_EVENT_NAME: name,
    GITHUB_RUN_ATTEMPT: attempt,
    GITHUB_TRIGGERING_ACTOR: actor,
  };
}

function circle(repository: string) {
  return { CIRCLE_USERNAME: 'octocat', CIRCLE_REPOSITORY_URL: repository };
}

/** What `gatepost ask` and `ask.sh` have to find, by the systems of the table. */
export const STARTER_CASES: Readonly<
  Record<(typeof STARTERS)[number]['system'], readonly StarterCase[]>
> = {
  'GitHub Actions': [
    { env: github('push', '1', 'octocat'), starter: octocat },
    { env: github('push', '1', 'renovate[bot]'), starter: { ...octocat, login: 'renovate[bot]' } },
    { env: github('schedule', '1', 'octocat'), starter: schedule('github') },
    { env: { GITHUB_EVENT_NAME: 'schedule' }, starter: schedule('github') },
    // Somebody ran it again.
    { env: github('schedule', '2', 'octocat'), starter: octocat },
  ],
  'GitLab CI': [
    { env: { GITLAB_USER_EMAIL: 'ana@example.com', CI_PIPELINE_SOURCE: 'push' }, starter: ana },
    { env: { GITLAB_USER_EMAIL: ' ana@example.com\n' }, starter: ana },
    { env: { GITLAB_USER_EMAIL: 'ana at\texample' }, starter: { name: 'ana at example' } },
    {
      env: { GITLAB_USER_EMAIL: 'ana@example.com', CI_PIPELINE_SOURCE: 'schedule' },
      starter: schedule('gitlab'),
    },
    {
      env: {
        GITLAB_USER_EMAIL: 'ana@example.com',
        CI_PIPELINE_SOURCE: 'schedule',
        CI_JOB_MANUAL: 'true',
      },
      starter: ana,
    },
  ],
  Buildkite: [
    {
      env: { BUILDKITE_BUILD_CREATOR_EMAIL: 'ana@example.com', BUILDKITE_SOURCE: 'ui' },
      starter: ana,
    },
    {
      env: { BUILDKITE_BUILD_CREATOR_EMAIL: 'ana@example.com', BUILDKITE_SOURCE: 'schedule' },
      starter: schedule('buildkite'),
    },
    {
      env: {
        BUILDKITE_BUILD_CREATOR_EMAIL: 'ana@example.com',
        BUILDKITE_SOURCE: 'schedule',
        BUILDKITE_REBUILT_FROM_BUILD_ID: '4733da5c',
      },
      starter: ana,
    },
  ],
  Jenkins: [
    { env: { BUILD_USER_ID: 'ana' }, starter: { login: 'ana', at: 'jenkins' } },
    {
      env: { BUILD_USER_ID: 'ana@example.com' },
      starter: { login: 'ana@example.com', at: 'jenkins' },
    },
    { env: { BUILD_USER_ID: 'Ana  Lim' }, starter: { name: 'Ana Lim' } },
    { env: { BUILD_USER_ID: 'timer' }, starter: schedule('jenkins') },
  ],
  CircleCI: [
    { env: circle('git@github.com:acme/checkout.git'), starter: octocat },
    { env: circle('https://github.com/acme/checkout'), starter: octocat },
    {
      env: circle('git@bitbucket.org:acme/checkout.git'),
      starter: { ...octocat, at: 'bitbucket' },
    },
    {
      env: circle('https://git.example/github.com/x'),
      starter: { ...octocat, at: 'circleci' },
    },
    { env: { CIRCLE_USERNAME: 'octocat' }, starter: { ...octocat, at: 'circleci' } },
  ],
  'Argo Workflows': [
    {
      env: { ARGO_WORKFLOW_LABELS: '{"workflows.argoproj.io/creator-email":"ana.at.example.com"}' },
      starter: ana,
    },
    { env: { ARGO_WORKFLOW_LABELS: '{"workflows.argoproj.io/creator":"ana"}' }, starter: null },
    { env: { ARGO_WORKFLOW_LABELS: '{{workflow.labels.json}}' }, starter: null },
    { env: { ARGO_WORKFLOW_LABELS: '["ana.at.example.com"]' }, starter: null },
  ],
};

const longest = `${'a'.repeat(46)}.at.example.com`;

/** The label of an address, and what is read from it. */
export const ARGO_LABELS: Readonly<Record<string, RequestedBy>> = {
  'ana.at.example.com': ana,
  'ana-lim.at.my-team.example.com': { email: 'ana-lim@my-team.example.com' },
  admin: { name: 'admin' },
  // Two addresses are possible, or none.
  'ana.at.work.at.example.com': { name: 'ana.at.work.at.example.com' },
  'ana.at.at.example.com': { name: 'ana.at.at.example.com' },
  '.at.example.com': { name: '.at.example.com' },
  // Argo keeps the last 63 characters, and then drops a sign at their beginning.
  [longest]: { email: longest.replace('.at.', '@') },
  [`b${longest}`]: { name: `b${longest}` },
  [`bc${longest}`]: { name: `bc${longest}` },
};
