import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  sampleCron,
  sampleDrain,
  sampleInstallation,
  sampleLogin,
  sampleUser,
  sampleWebhook,
} from '#test/support/samples.ts'
import { failedBuildMail } from '../build/failed-build-mail.ts'
import { cronMail } from '../cron/cron-mails.ts'
import { deadDrainMail } from '../drain/dead-drain-mail.ts'
import { damageMail } from '../file/damage-mail.ts'
import { disabledMail, moreScopesMail } from '../installation/installation-mails.ts'
import { loginMail } from '../login/login-mail.ts'
import { releaseMail } from '../release/release-mails.ts'
import { invitationMail, joinMail } from '../team/invitation-mail.ts'
import { deadWebhookMail } from '../webhook/dead-webhook-mail.ts'

const to = 'ada@example.test'
const baseUrl = 'https://aloft.test'
const about = { to, application: 'Robot', installation: sampleInstallation(), baseUrl }
const invited = { to, team: 'Acme Inc.', inviter: sampleUser(), role: 'MEMBER' as const }
const asked = { added: ['read:domain'], upgraded: [], note: null } as unknown as Parameters<
  typeof moreScopesMail
>[1]
const cron = { cron: sampleCron(), project: 'shop' }

const release = { state: 'ABORTED', reason: 'Errors rose.', canaryHost: 'shop-1.aloft.test' } as Parameters<
  typeof releaseMail
>[2]

const MAILS = [
  failedBuildMail(
    to,
    {
      deployment: { id: 'dpl_1', target: 'production' },
      project: 'shop',
      failure: { code: 'build_failed', step: 'build', message: 'Command "npm run build" exited with 1' },
      lines: [{ number: 7, text: "Error: Cannot find module 'left-pad'" }],
    },
    baseUrl,
  ),
  releaseMail(to, { id: 'prj_1', ownerId: 'u_1', name: 'shop' }, release, baseUrl),
  cronMail(to, { ...cron, trouble: { kind: 'failed', message: '500' } }, baseUrl),
  cronMail(to, { ...cron, trouble: { kind: 'missed', message: 'Off.' } }, baseUrl),
  deadDrainMail(to, sampleDrain(), baseUrl),
  deadWebhookMail(to, sampleWebhook(), baseUrl),
  damageMail(to, 1, baseUrl),
  moreScopesMail(about, asked),
  disabledMail(about),
  loginMail(sampleLogin(), `${baseUrl}/login/accept?token=t`),
  invitationMail({ ...invited, baseUrl: `${baseUrl}/a/team_1` }),
  joinMail({ ...invited, link: `${baseUrl}/invitation?token=t`, expiresAt: 0 }),
]

for (const mail of MAILS)
  test(`a mail has one button that leads to a page, and its link as text: ${mail.subject}`, () => {
    const buttons = [...mail.html.matchAll(/<a\s+href="([^"]+)"/g)].map(([, link]) => link ?? '')
    assert.equal(buttons.length, 1)
    assert.ok(buttons[0]?.startsWith(`${baseUrl}/`))
    assert.ok(mail.text.includes(buttons[0] ?? '-'))
    assert.doesNotMatch(
      mail.text,
      /\b(?:GET|POST|PATCH|DELETE) https?:/,
      'people are asked to click, not to call',
    )
    assert.doesNotMatch(mail.html, /`/, 'commands are set as such')
    assert.doesNotMatch(mail.html, /[^-]color:#(?!fff)/, 'no color that only one of light and dark has')
  })
