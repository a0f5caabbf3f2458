import { expect, it } from 'vitest';
import { createMetrics } from '../../../src/core/http/metrics.ts';

it('events are counted with their labels', async () => {
  const metrics = createMetrics();
  metrics.count('intake', { result: 'created' });
  metrics.count('intake', { result: 'created' });
  metrics.count('click', { result: 'queued' });
  metrics.count('step', { step: 'respond', result: 'done' });
  metrics.took('step', { step: 'respond' }, 30);
  metrics.took('acknowledgement', null, 7);
  metrics.set('records', { lane: 'people' }, 3);
  metrics.set('storeUp', null, 1);
  const text = await metrics.text();
  for (const line of [
    'gatepost_intake_total{result="created"} 2',
    'gatepost_clicks_total{result="queued"} 1',
    'gatepost_steps_total{step="respond",result="done"} 1',
    'gatepost_step_seconds_bucket{le="0.05",step="respond"} 1',
    'gatepost_step_seconds_bucket{le="0.02",step="respond"} 0',
    'gatepost_ack_seconds_sum 0.007',
    'gatepost_records{lane="people"} 3',
    'gatepost_store_up 1',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
});

it('each app has counters of its own', async () => {
  const one = createMetrics();
  createMetrics().count('intake', { result: 'created' });
  expect(await one.text()).not.toContain('gatepost_intake_total{');
});

it('connections to Slack are shown only once they are counted', async () => {
  const metrics = createMetrics();
  expect(await metrics.text()).not.toContain('gatepost_socket_connected');
  metrics.set('connected', null, 2);
  expect(await metrics.text()).toContain('gatepost_socket_connected 2\n');
});
