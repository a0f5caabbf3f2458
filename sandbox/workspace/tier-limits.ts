import { createPostPacer } from './post-pacer.ts';

/** Slack's tiers: the calls of a method per minute. Other methods have no tier, or limits of their own. */
export const tiers = [
  {
    tier: 2,
    perMinute: 20,
    methods: [
      'auth.teams.list',
      'chat.startStream',
      'chat.stopStream',
      'conversations.create',
      'conversations.list',
      'reactions.remove',
      'usergroups.list',
      'usergroups.users.list',
      'users.list',
    ],
  },
  {
    tier: 3,
    perMinute: 50,
    methods: [
      'apps.connections.open',
      'bots.info',
      'chat.delete',
      'chat.scheduleMessage',
      'chat.update',
      'conversations.history',
      'conversations.info',
      'conversations.invite',
      'conversations.join',
      'conversations.open',
      'conversations.replies',
      'reactions.add',
      'team.info',
      'users.conversations',
      'users.lookupByEmail',
    ],
  },
  {
    tier: 4,
    perMinute: 100,
    methods: [
      'api.test',
      'chat.appendStream',
      'chat.postEphemeral',
      'conversations.members',
      'users.info',
      'users.profile.get',
      'views.open',
      'views.publish',
      'views.push',
      'views.update',
    ],
  },
] as const;

export interface TierLimits {
  /** The milliseconds to wait before the method can be called; 0: now. */
  readonly take: (method: string, now: number) => number;
  readonly clear: () => void;
}

/** Counts calls by method. @param isOn false: no limit */
export function createTierLimits(isOn: boolean): TierLimits {
  const limited = tiers.map(({ perMinute, methods }) => ({
    methods: new Set<string>(methods),
    pacer: createPostPacer(isOn ? { perSecond: perMinute / 60, burst: perMinute } : null),
  }));
  return {
    take: (method, now) =>
      limited.find(({ methods }) => methods.has(method))?.pacer.take(method, now) ?? 0,
    clear: () => {
      for (const { pacer } of limited) pacer.clear();
    },
  };
}
