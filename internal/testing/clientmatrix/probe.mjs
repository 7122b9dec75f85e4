// An MCP server on stdio with two tools.
import readline from 'node:readline';
const inputSchema = {type: 'object', properties: {text: {type: 'string'}}};
const tool = name => ({name, description: name, inputSchema});
const say = o => process.stdout.write(JSON.stringify({jsonrpc: '2.0', ...o}) + '\n');
const answers = {
  'initialize': p => ({
    protocolVersion: p.protocolVersion, capabilities: {tools: {}}, serverInfo: {name: 'probe', version: '1'},
  }),
  'tools/list': () => ({tools: [tool('echo'), tool('erase')]}),
  'tools/call': p => ({content: [{type: 'text', text: 'said ' + p.arguments.text}]}),
};
readline.createInterface({input: process.stdin}).on('line', line => {
  const {id, method, params} = JSON.parse(line), answer = answers[method];
  if (id === undefined) return;
  say(answer ? {id, result: answer(params)} : {id, error: {code: -32601, message: 'no ' + method}});
});
