/** Loaded before a program: it can only connect to the port of ONLY_WAY_OUT. */
import { Socket } from 'node:net';
import process from 'node:process';

const only = Number(process.env.ONLY_WAY_OUT);
const { connect } = Socket.prototype;

Socket.prototype.connect = function (...given) {
  const [first] = Array.isArray(given[0]) ? given[0] : given;
  const port = typeof first === 'object' ? first.port : first;
  if (Number(port) === only) return connect.apply(this, given);
  process.stderr.write(`went around the proxy, to port ${port}\n`);
  return connect.call(this, { host: '127.0.0.1', port: 1 });
};
