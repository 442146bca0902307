import { html } from '#contract/html.ts'
import { mailPage } from '../mail/mail-page.ts'
import { strangerText } from '../mail/stranger-text.ts'
import type { Mail } from '../ports/mailer.ts'
import type { Project } from '../project/project.ts'
import type { Release } from './release.ts'

/** Tells somebody that the platform has taken a release back, or lets it stand. */
export function releaseMail(
  to: string,
  { id, name }: Pick<Project, 'id' | 'name'>,
  { state, reason, canaryHost }: Release,
  baseUrl: string,
): Mail {
  const project = strangerText(name)
  const [subject, what] =
    state === 'ABORTED'
      ? [
          `The release of ${project} was rolled back`,
          `All visitors of ${project} get the deployment again that was live before. ${canaryHost} did worse:`,
        ]
      : [
          `The release of ${project} is paused`,
          `No more visitors of ${project} get the new deployment until somebody decides. ${canaryHost} did worse:`,
        ]
  const link = `${baseUrl}/projects/${id}`
  return {
    to,
    subject,
    text: `${what}\n${reason ?? ''}\n\nLook at the release: ${link}\n`,
    html: mailPage(
      subject,
      html`<p>${what}</p><p>${reason ?? ''}</p><p><a href="${link}">Look at the release</a></p>`,
    ),
  }
}
