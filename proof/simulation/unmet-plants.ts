import type { RulePlant } from './rule-plants.ts';

const CALLERS = 'core/identity-tokens/callers.ts';
const CLAIMS = 'core/identity-tokens/claims.ts';
const VERIFY = 'core/identity-tokens/verify-token.ts';
const REQUEST_KEY = 'core/identity-tokens/request-key.ts';
const MCP_ROUTE = 'approvals/ways-in/mcp/mcp-route.ts';
const TOOLS = 'approvals/ways-in/mcp/tools.ts';
const ONE_CALL = 'approvals/ways-in/mcp/one-call.ts';
const BATCH_FLOW = 'operations/batch/batch-flow.ts';
const QUEUE = 'operations/batch/queue.ts';
const PRESS = 'operations/batch/press-batch.ts';
const SIGNAL_MANY = 'core/engine/signal-many.ts';

/** Bugs where the simulation does not go: a test has to notice each of them. */
export const UNMET_PLANTS = {
  // Signed identities
  'tokens-for-others-accepted': {
    file: CALLERS,
    from: "if (!audiences.includes(auth.audience)) return { kind: 'refused', fault: 'audience' };",
    to: '',
    noticedBy: 'core/identity-tokens/callers.test.ts',
  },
  'claims-not-demanded': {
    file: CALLERS,
    from: 'if (unmet.length > 0) return',
    to: 'if (unmet.length > 1) return',
    noticedBy: 'core/identity-tokens/callers.test.ts',
  },
  'sources-named-and-not-heard': {
    file: CALLERS,
    from: 'if (named !== undefined && source.id !== named) return refuse',
    to: 'if (named === undefined && source.id === named) return refuse',
    noticedBy: 'core/identity-tokens/callers.test.ts',
  },
  'the-first-of-several-sources': {
    file: CALLERS,
    from: 'if (others.length > 0) return',
    to: 'if (others.length > 1) return',
    noticedBy: 'core/identity-tokens/callers.test.ts',
  },
  'patterns-match-their-beginning': {
    file: CLAIMS,
    from: 'value.startsWith(start) && value.length > start.length',
    to: 'value.startsWith(start)',
    noticedBy: 'core/identity-tokens/claims.test.ts',
  },
  'tokens-good-for-two-days': {
    file: VERIFY,
    from: 'return lifeS > LIFE_MAX_S + LEEWAY_S ?',
    to: 'return lifeS > 2 * LIFE_MAX_S ?',
    noticedBy: 'core/identity-tokens/callers.test.ts',
  },
  'any-key-opens': {
    file: REQUEST_KEY,
    from: 'expected.length === mac.length && timingSafeEqual(expected, mac)',
    to: 'expected.length === mac.length || timingSafeEqual(expected, mac)',
    noticedBy: 'core/identity-tokens/callers.test.ts',
  },

  // Agents
  'agents-not-for-agents': {
    file: MCP_ROUTE,
    from: 'if (agents === false) return NO_AGENTS;',
    to: '',
    noticedBy: 'approvals/ways-in/mcp/mcp-http.test.ts',
  },
  'pages-of-others-ask': {
    file: MCP_ROUTE,
    from: 'new URL(origin).host === host',
    to: 'new URL(origin).host !== undefined',
    noticedBy: 'approvals/ways-in/mcp/mcp-http.test.ts',
  },
  'streams-never-end': {
    file: MCP_ROUTE,
    from: 'if (isOpen) count(source, -1);',
    to: '',
    noticedBy: 'approvals/ways-in/mcp/mcp-http.test.ts',
  },
  'agents-share-an-approval': {
    file: ONE_CALL,
    from: "if (status === 'APPROVED') return details.result === undefined;",
    to: "if (status === 'APPROVED') return true;",
    noticedBy: 'approvals/ways-in/mcp/tools.test.ts',
  },
  'decisions-wait-for-ever': {
    file: ONE_CALL,
    from: 'if (!(store.now() - decidedAt <= UNRECEIVED_MS)) return false;',
    to: '',
    noticedBy: 'approvals/ways-in/mcp/tools.test.ts',
  },
  'one-request-for-all-agents': {
    file: TOOLS,
    from: 'const content = [scope, title,',
    to: 'const content = [title,',
    noticedBy: 'approvals/ways-in/mcp/tools.test.ts',
  },
  'used-and-approved-again': {
    file: TOOLS,
    from: '        if (why !== undefined) {',
    to: '        if (why === null) {',
    noticedBy: 'approvals/ways-in/mcp/tools.test.ts',
  },
  'own-approvals-open': {
    file: TOOLS,
    from: 'if (details.ownApproval) {',
    to: 'if (details.ownApproval === null) {',
    noticedBy: 'approvals/ways-in/mcp/tools.test.ts',
  },
  'errors-are-no-errors': {
    file: TOOLS,
    from: 'NOTHING}` }], isError: true };',
    to: 'NOTHING}` }] };',
    noticedBy: 'approvals/ways-in/mcp/mcp-http.test.ts',
  },

  // The same to many
  'sent-again-before-it-is-quiet': {
    file: BATCH_FLOW,
    from: 'if (now < quietAt) return quietAt;',
    to: '',
    noticedBy: 'operations/test-cases/several/batch-flow.test.ts',
  },
  'shown-before-it-is-remembered': {
    file: BATCH_FLOW,
    from: '    () => dueMemory(batch, record, now),\n    () => dueMessage(record, state, now),\n',
    to: '    () => dueMessage(record, state, now),\n    () => dueMemory(batch, record, now),\n',
    noticedBy: 'operations/tasks/several/move-batch.test.ts',
  },
  'old-presses-repeat': {
    file: BATCH_FLOW,
    from: "if (phase.name !== 'done' || press.run !== run) return [];",
    to: "if (phase.name !== 'done') return [];",
    noticedBy: 'operations/tasks/several/move-batch.test.ts',
  },
  'done-and-repeated': {
    file: BATCH_FLOW,
    from: 'isNamed(index) && repeats(line).includes(press.kind) ?',
    to: 'isNamed(index) ?',
    noticedBy: 'operations/tasks/several/move-batch.test.ts',
  },
  'goes-on-without-an-answer': {
    file: QUEUE,
    from: 'if (unclear >= UNCLEAR_MAX)',
    to: 'if (unclear >= 1_000 * UNCLEAR_MAX)',
    noticedBy: 'operations/test-cases/several/batch-flow.test.ts',
  },
  'each-line-as-allowed-as-the-first': {
    file: QUEUE,
    from: 'if (authorizesEach) return { ...left, phase: first };',
    to: '',
    noticedBy: 'operations/tasks/several/move-batch.test.ts',
  },
  'anybody-repeats': {
    file: PRESS,
    from: "return known.by === user ? known : 'not-theirs';",
    to: 'return known;',
    noticedBy: 'operations/test-cases/several/press-batch.test.ts',
  },
  'whoever-was-away-hears-nothing': {
    file: SIGNAL_MANY,
    from: "hasMissed: ends.includes('missed')",
    to: 'hasMissed: ends.length < 0',
    noticedBy: 'core/engine/signal-many.test.ts',
  },
} as const satisfies Readonly<Record<string, RulePlant>>;
