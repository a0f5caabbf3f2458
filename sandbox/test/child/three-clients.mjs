/** An app that knows nothing of the sandbox calls Slack with each of Node's clients. */

import { createServer } from 'node:http';
import { request } from 'node:https';
import process from 'node:process';
import { request as undici } from 'undici';

const url = 'https://slack.com/api/auth.test';
const headers = { authorization: `Bearer ${process.env.SLACK_BOT_TOKEN}` };
const told = (client, { ok, user_id }) => console.log(`${client}: ${ok} ${user_id}`);

const overHttps = new Promise((resolve, reject) => {
  const asked = request(url, { method: 'POST', headers }, async (answer) => {
    let body = '';
    for await (const part of answer) body += part;
    resolve(JSON.parse(body));
  });
  asked.on('error', reject).end();
});
told('https', await overHttps);
told('fetch', await (await fetch(url, { method: 'POST', headers })).json());
told('undici', await (await undici(url, { method: 'POST', headers })).body.json());

await fetch('https://hooks.slack.com/services/T0/B0/secret', { method: 'POST' });

// Everything else goes where it should.
const other = createServer((_, answer) => answer.end('{"ok":true}')).listen(0, '127.0.0.1');
await new Promise((resolve) => other.once('listening', resolve));
told('other site', await (await fetch(`http://127.0.0.1:${other.address().port}`)).json());
other.close();
process.exitCode = 7;
