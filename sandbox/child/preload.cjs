'use strict';
/**
 * Loaded into the app by `node --require`: a connection to slack.com goes to the sandbox instead, in the clear. Every
 * client of Node ends in `tls.connect`: `https.request`, `fetch`, undici, axios.
 */
const { syncBuiltinESMExports } = require('node:module');
const net = require('node:net');
const process = require('node:process');
const tls = require('node:tls');

const sandbox = new URL(process.env.SLACK_SANDBOX_URL);
const { connect } = tls;

/** Its arguments: options or port, host, options; a callback last. */
tls.connect = (...given) => {
  const options = given.find((each) => typeof each === 'object' && each !== null) ?? {};
  const host = options.servername || options.host || given.find((each) => typeof each === 'string');
  if (!/(^|\.)slack\.com$/i.test(host ?? '')) return connect(...given);
  const socket = net.connect(Number(sandbox.port), sandbox.hostname);
  const secured = given.find((each) => typeof each === 'function');
  if (secured) socket.once('secureConnect', secured);
  return socket.once('connect', () => socket.emit('secureConnect'));
};
syncBuiltinESMExports();
