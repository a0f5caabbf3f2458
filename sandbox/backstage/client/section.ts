import type { ComponentType } from 'preact';
import type { DemoState } from '../backstage-state.ts';

/** One part of what is behind the scenes. */
export interface Section {
  /** Also its heading. */
  readonly title: string;
  readonly Content: ComponentType<{ state: DemoState }>;
}
