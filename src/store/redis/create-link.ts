import type { RedisAddress } from '../../lib/redis-address.ts';
import { clusterLink } from './cluster-link.ts';
import type { Link, LinkNeeds } from './link.ts';
import { singleLink } from './single-link.ts';

export function createLink(address: RedisAddress, needs: LinkNeeds): Link {
  return address.mode.kind === 'cluster'
    ? clusterLink(address, needs)
    : singleLink(address, address.mode, needs);
}
