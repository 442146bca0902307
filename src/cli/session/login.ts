import { ApiError } from '#client/api-error.ts'
import type { Client } from '#client/client.ts'
import { loginMethods, register } from '#contract/api/login.ts'
import { Redacted } from '#contract/redacted.ts'
import { defineCommand, optional } from '../command.ts'
import { plainText } from '../output/plain-text.ts'
import { pollLogin } from './poll-login.ts'

/** The name under which the token is listed and the mail asks: short, and of printable characters. */
const tokenName = (machine: string): string => `aloft on ${plainText(machine)}`.slice(0, 100)

/** An installation of an earlier release says nothing of this. */
const methodsOf = (api: Client): Promise<{ readonly mail: boolean; readonly approveUrl?: string }> =>
  api.call(loginMethods).catch((error: unknown) => {
    if (error instanceof ApiError) return { mail: true }
    throw error
  })

export const command = defineCommand({
  doing: 'log in',
  teamless: true,
  about:
    'Emails you a link. Open it, check that the security code matches and accept; this command then stores a token. You can also accept in a browser where you are signed in.\nIf the email address has no account yet, one is created.',
  arguments: { email: optional('your email address; prompts for it by default') },
  examples: [
    ['login', 'prompt for the email address'],
    ['login you@example.com', 'log in'],
    ['login you@example.com --base-url https://aloft.example.com', 'log in to another installation'],
  ],
  hints: { invalid_email: 'Check the spelling of the address.' },
  async run(cli, given) {
    const { out, baseUrl } = cli
    const { bold, green, dim } = out.talkColors
    const typed = given.email ?? (await cli.prompt.ask('Your email address:', 'aloft login you@example.com'))
    const api = cli.apiWith(undefined)
    const { token: poll, securityCode } = await api.call(register, {
      body: { email: typed, tokenName: tokenName(cli.machine) },
    })
    const { mail, approveUrl } = await methodsOf(api)
    out.say(
      mail
        ? `We sent a link to ${bold(plainText(typed))}.`
        : `This server has no mail server set up: the link for ${bold(plainText(typed))} was printed in its terminal.`,
    )
    out.say(`Open it, and approve if it shows this security code: ${bold(green(plainText(securityCode)))}`)
    if (approveUrl !== undefined)
      out.say(`Or, in a browser where you are signed in, open ${plainText(approveUrl)}`)
    out.say(dim('Waiting for your approval… (Ctrl-C stops waiting)'))
    const { token, email } = await pollLogin({
      api,
      email: typed,
      token: poll,
      now: cli.now,
      wait: cli.wait,
    })
    cli.auth.save(baseUrl, { token: new Redacted(token), email })
    const named = cli.namedToken()
    out.show({ baseUrl, email }, () => `Logged in to ${baseUrl} as ${plainText(email)}.`)
    if (named) out.say(`note: ${named.from} is set and takes precedence over this login.`)
  },
})
