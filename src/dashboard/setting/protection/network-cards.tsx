import { useState } from 'react'
import type { ProtectionMode, TrustedType } from '#contract/api/project.ts'
import type { Project } from '../../project/project.ts'
import { SelectField, TextArea } from '../../ui/control/field.tsx'
import { useSaveProject } from '../save-project.ts'
import { SettingCard } from '../setting-card.tsx'
import { type NotedAddress, readAddresses, readLines, writeAddresses } from './address-list.ts'
import { TRUSTED_COVERS } from './covers.ts'
import { PlanHint } from './plan-hint.tsx'

interface Trusted {
  readonly deploymentType: TrustedType
  readonly protectionMode: ProtectionMode
  readonly addresses: readonly NotedAddress[]
}

const NOBODY: Trusted = { deploymentType: 'preview', protectionMode: 'additional', addresses: [] }

const MODES: readonly { readonly value: ProtectionMode; readonly label: string }[] = [
  { value: 'additional', label: 'Get a 404 Not Found response' },
  { value: 'exclusive', label: 'Must sign in or enter the password' },
]

/** Networks whose visitors are let in, or the only ones that are. */
export function TrustedCard({ project }: { project: Project }) {
  const set = project.trustedIps as Trusted | null
  const before = set ?? NOBODY
  const [covers, setCovers] = useState(before.deploymentType)
  const [mode, setMode] = useState(before.protectionMode)
  const [text, setText] = useState(writeAddresses(before.addresses))
  const save = useSaveProject(project, { quiet: true, done: 'Saved. Takes effect immediately.' })
  const addresses = readAddresses(text)
  const changed =
    text !== writeAddresses(before.addresses) ||
    covers !== before.deploymentType ||
    mode !== before.protectionMode
  return (
    <SettingCard
      title="Trusted IPs"
      about="IPv4 addresses and ranges, such as your office network. IPv6 isn't supported."
      hint={<PlanHint plan="enterprise" what="IP allowlisting" />}
      changed={changed && addresses.length > 0}
      busy={save.isPending}
      error={save.error}
      clear={set !== null && { label: 'Remove all', onClear: () => save.mutate({ trustedIps: null }) }}
      onSave={() => save.mutate({ trustedIps: { deploymentType: covers, protectionMode: mode, addresses } })}
    >
      <TextArea
        label="IP addresses"
        hint="One per line. Add an optional note after #."
        mono
        rows={3}
        value={text}
        onChange={setText}
        placeholder={'203.0.113.7 # office\n198.51.100.0/24 # VPN'}
        spellCheck={false}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Applies to" value={covers} onChange={setCovers} options={TRUSTED_COVERS} />
        <SelectField label="Everyone else" value={mode} onChange={setMode} options={MODES} />
      </div>
    </SettingCard>
  )
}

/** Lets the question before a cross-origin request through, which carries no cookie. */
export function OptionsCard({ project }: { project: Project }) {
  const before = (project.optionsAllowlist?.paths ?? []).map(({ value }) => value).join('\n')
  const [text, setText] = useState(before)
  const save = useSaveProject(project, { quiet: true })
  const paths = readLines(text).map((value) => ({ value }))
  return (
    <SettingCard
      title="OPTIONS allowlist"
      about="Browsers send CORS preflight (OPTIONS) requests without credentials. Let them through for these paths and everything below them."
      changed={text !== before}
      busy={save.isPending}
      error={save.error}
      onSave={() => save.mutate({ optionsAllowlist: paths.length === 0 ? null : { paths } })}
    >
      <TextArea
        label="Paths"
        hint="One per line, starting with /."
        mono
        rows={3}
        value={text}
        onChange={setText}
        placeholder="/api"
        spellCheck={false}
      />
    </SettingCard>
  )
}
