// What the page asks of helve, and how it hears of changes.

const keyName = 'helve-console-key' // kept by the browser for this origin, port included
const silence = 45_000 // ms: helve says something every 15 s

// Characters that show nothing, or turn what stands around them, are written out: what a person approves must be what
// they see. Every text from helve passes here.
const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}]/gu

export function visible(text) {
  return text.replace(hidden, (c, at) => {
    if (c === '\n' || c === '\t') return c
    const style = c === '\ufe0e' || c === '\ufe0f' // how emoji are written: one behind a character is no secret
    if (style && at > 0 && !text[at - 1].match(hidden)) return c
    const n = c.codePointAt(0)
    return n > 0xffff ? `\\U${n.toString(16).padStart(8, '0')}` : `\\u${n.toString(16).padStart(4, '0')}`
  })
}

export const parse = (text) => JSON.parse(text, (_, v) => (typeof v === 'string' ? visible(v) : v))

// A Failure is what helve answered, or that it could not be reached (status 0).
export class Failure extends Error {
  constructor(status, text) {
    super(text)
    this.status = status
  }
}

const renewedName = 'helve-console-renewed' // kept by the browser for this tab, until the new page has said it
let build = '' // of the files of this page

// renewed loads the page anew where helve serves another one now: it was updated while this one was open.
function renewed(res) {
  const now = res.headers.get('X-Helve-Build')
  if (build && now && now !== build) {
    sessionStorage.setItem(renewedName, '1')
    location.reload()
  }
  build = build || now
}

// wasRenewed tells, once, that this page came in place of an older one.
export function wasRenewed() {
  const was = sessionStorage.getItem(renewedName)
  sessionStorage.removeItem(renewedName)
  return !!was
}

async function request(path, options = {}, signal) {
  let res
  try {
    res = await fetch(`api/${path}`, {
      ...options,
      signal,
      headers: { 'X-Helve-Page': localStorage.getItem(keyName) || '', ...options.headers },
    })
  } catch {
    throw new Failure(0, 'helve cannot be reached')
  }
  renewed(res)
  if (res.ok) return res
  let text = res.statusText
  try {
    text = parse(await res.text()).error
  } catch {
    // no JSON: the status says it
  }
  throw new Failure(res.status, text)
}

export async function get(path, query = {}, signal) {
  const q = new URLSearchParams()
  for (const [k, v] of Object.entries(query)) if (v !== '' && v != null) q.set(k, v)
  const res = await request(`${path}?${q}`, {}, signal)
  return parse(await res.text())
}

// raw is get without a change to any text: for files.
export async function raw(path, query) {
  const res = await request(`${path}?${new URLSearchParams(query)}`)
  return res.json()
}

export async function post(path, body) {
  const res = await request(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  return parse(await res.text())
}

// login exchanges the word of the link, and takes it out of the address.
export async function login() {
  const word = new URLSearchParams(location.hash.slice(1)).get('token')
  if (!word) return
  history.replaceState(null, '', location.pathname)
  const { key } = await post('login', { token: word })
  localStorage.setItem(keyName, key)
}

export async function logout() {
  await post('logout', {})
  localStorage.removeItem(keyName)
}

// listen calls heard with every message until the stream ends, which is an error.
export async function listen(since, heard) {
  const stop = new AbortController()
  let timer
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(() => stop.abort(), silence)
  }
  alive()
  try {
    const res = await request(`events?since=${since}`, {}, stop.signal)
    const reader = res.body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (;;) {
      const { value, done } = await reader.read()
      if (done) throw new Failure(0, 'helve has ended')
      alive()
      rest += value
      const parts = rest.split('\n\n')
      rest = parts.pop()
      for (const part of parts) heard(parse(part.slice('data: '.length)))
    }
  } finally {
    clearTimeout(timer)
    stop.abort()
  }
}
