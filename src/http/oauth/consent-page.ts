import type { RawReply } from '#contract/endpoint.ts'
import { html, type Raw, raw } from '#contract/html.ts'
import type { Application } from '#core/application/application.ts'
import { scopeList } from '#core/installation/scope-change.ts'
import type { Choices } from '#core/oauth/authorizations.ts'
import type { User } from '#core/user/user.ts'
import { page, pageReply } from '../answer/page.ts'
import { wordsFor } from './scope-words.ts'

interface ConsentForm {
  readonly application: Application
  readonly user: User
  readonly choices: Choices
  /** Null for the personal account. */
  readonly teamId: string | null
  /** What the application sent people here with, to be sent along. */
  readonly asked: Readonly<Record<string, string>>
  /** Missing for scripts, which have no session. */
  readonly csrf: string | undefined
  /** Whether somebody has agreed to other scopes than these. */
  readonly hasChanged?: boolean
}

/** The scopes as the form sends them back, so that nobody agrees to others than they were shown. */
export const shownScopes = ({ scopes }: Application): string => scopeList(scopes).join(' ')

const STYLE = raw(`<style>
.grants{list-style:none;margin:1rem 0;padding:0;border:1px solid var(--line);border-radius:12px;background:var(--card)}
.grants li{padding:.6rem 1rem;display:flex;gap:.75rem;align-items:baseline;justify-content:space-between}
.grants li+li{border-top:1px solid var(--line)}
fieldset{border:0;margin:1.25rem 0;padding:0;min-width:0}
legend{font-weight:600;padding:0;margin-bottom:.35rem}
label.pick{display:flex;gap:.6rem;align-items:baseline;font-weight:400;margin:.4rem 0;overflow-wrap:anywhere}
label.pick input{width:auto;margin:0;flex:none;transform:translateY(.1em)}
.projects{max-height:14rem;overflow-y:auto;margin:.5rem 0 0 1.6rem;padding:.25rem 1rem;border:1px solid var(--line);border-radius:12px;background:var(--card);display:none}
fieldset:has(#some:checked) .projects{display:block}
.row{display:flex;gap:.75rem}.row>*{flex:1}
select{font:inherit;font-weight:400;margin-top:.35rem;height:2.9rem;width:100%;min-width:0;padding:.65rem .8rem;border:1px solid var(--line);border-radius:10px;background:var(--card);color:inherit}
form.account{display:flex;gap:.75rem;align-items:end;margin:1.25rem 0}
form.account label{flex:1;margin:0;min-width:0}
form.account button{width:auto;height:2.9rem;background:none;color:var(--accent);border:1px solid var(--line)}
button.second{background:none;color:var(--fg);border:1px solid var(--line)}
</style>`)

const none = raw('')
const checked = raw(' checked')
const selected = raw(' selected')

const many = (parts: readonly Raw[]): Raw => raw(parts.map(({ text }) => text).join('\n'))

const hidden = (fields: Readonly<Record<string, string | undefined>>): Raw =>
  many(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}">`],
    ),
  )

/** Which account: a form of its own, because each has other projects to choose from. */
const accountForm = ({ user, choices, teamId, asked }: ConsentForm): Raw =>
  choices.teams.length === 0
    ? html`<p class="who"><b>${user.email}</b><span>${user.username}</span></p>`
    : html`<form class="account" method="get" action="/oauth/authorize">${hidden(asked)}
<label>Account
<select name="teamId">
<option value=""${teamId === null ? selected : none}>${user.username} (personal)</option>
${many(choices.teams.map(({ id, name }) => html`<option value="${id}"${id === teamId ? selected : none}>${name}</option>`))}
</select></label><button>Switch</button></form>`

function projectChoice({ choices: { projects, present } }: ConsentForm): Raw {
  const isSome = present?.projectSelection === 'selected'
  const isChosen = (id: string) => isSome && present.projects.includes(id)
  return html`<fieldset><legend>Projects</legend>
<label class="pick"><input type="radio" name="projectSelection" value="all"${isSome ? none : checked}> All projects, including future ones</label>
<label class="pick"><input type="radio" id="some" name="projectSelection" value="selected"${isSome ? checked : none}> Selected projects</label>
<div class="projects">${
    projects.length === 0
      ? html`<p class="soft small">This account has no projects yet.</p>`
      : many(
          projects.map(
            ({ id, name }) =>
              html`<label class="pick"><input type="checkbox" name="project ${id}" value="1"${isChosen(id) ? checked : none}> ${name}</label>`,
          ),
        )
  }</div></fieldset>`
}

/** Asks somebody whether to let an application in. Browsers let the form lead to its address and to no other. */
export function consentPage(form: ConsentForm): RawReply {
  const { application, teamId, asked, csrf, choices, hasChanged = false } = form
  const { origin, host } = new URL(application.redirectUrl)
  const sentBack = { ...asked, csrf, teamId: teamId ?? '', shown: shownScopes(application) }
  const body = html`${STYLE}
${hasChanged ? html`<p role="alert"><b>The application has changed the access it requests. Review it again.</b></p>` : none}
<p><b>${application.name}</b> wants access to your account on Aloft.</p>
${application.note === null ? none : html`<p class="soft">“${application.note}”</p>`}
${accountForm(form)}
<p><b>It will be able to:</b></p>
<ul class="grants">${many(
    wordsFor(application.scopes).map(
      ({ text, writes }) =>
        html`<li><span>${text}</span><span class="tag">${writes ? 'read and write' : 'read'}</span></li>`,
    ),
  )}</ul>
<form method="post" action="/oauth/authorize">${hidden(sentBack)}
${projectChoice(form)}
<div class="row"><button name="decision" value="allow">${choices.present ? 'Allow again' : 'Allow'}</button>
<button class="second" name="decision" value="deny">Cancel</button></div></form>
<p class="soft small">You'll be redirected to <b>${host}</b>. You can revoke access at any time.</p>`
  const reply = pageReply(page(`Authorize ${application.name}?`, body))
  const policy = String(reply.headers?.['content-security-policy'])
  return {
    ...reply,
    headers: {
      ...reply.headers,
      'content-security-policy': policy.replace("form-action 'self'", `form-action 'self' ${origin}`),
    },
  }
}
