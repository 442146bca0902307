import { useState } from 'react'
import type { ProtectionMode, TrustedType } from '#contract/api/project.ts'
import type { Project } from '../project/project.ts'
import { Button } from '../ui/button.tsx'
import { SelectField, TextArea } from '../ui/field.tsx'
import { type NotedAddress, readAddresses, readLines, writeAddresses } from './address-list.ts'
import { TRUSTED_COVERS } from './covers.ts'
import { PlanHint } from './plan-hint.tsx'
import { useSaveProject } from './save-project.ts'
import { SettingCard } from './setting-card.tsx'

interface Trusted {
  readonly deploymentType: TrustedType
  readonly protectionMode: ProtectionMode
  readonly addresses: readonly NotedAddress[]
}

const NOBODY: Trusted = { deploymentType: 'preview', protectionMode: 'additional', addresses: [] }

const MODES: readonly { readonly value: ProtectionMode; readonly label: string }[] = [
  { value: 'additional', label: 'Everybody else gets “not found”' },
  { value: 'exclusive', label: 'They pass; everybody else signs in or gives the password' },
]

/** Networks whose visitors are let in, or the only ones that are. */
export function TrustedCard({ project }: { project: Project }) {
  const set = project.trustedIps as Trusted | null
  const before = set ?? NOBODY
  const [covers, setCovers] = useState(before.deploymentType)
  const [mode, setMode] = useState(before.protectionMode)
  const [text, setText] = useState(writeAddresses(before.addresses))
  const save = useSaveProject(project, { quiet: true, done: 'Saved. It holds from now on.' })
  const addresses = readAddresses(text)
  const changed =
    text !== writeAddresses(before.addresses) ||
    covers !== before.deploymentType ||
    mode !== before.protectionMode
  return (
    <SettingCard
      title="Trusted addresses"
      about="IPv4 addresses and ranges, such as those of your office. Visitors over IPv6 are never among them."
      hint={<PlanHint plan="enterprise" what="A list of addresses" />}
      changed={changed && addresses.length > 0}
      busy={save.isPending}
      error={save.error}
      more={
        set !== null && (
          <Button
            size="small"
            look="danger"
            disabled={save.isPending}
            onClick={() => save.mutate({ trustedIps: null })}
          >
            Remove the list
          </Button>
        )
      }
      onSave={() => save.mutate({ trustedIps: { deploymentType: covers, protectionMode: mode, addresses } })}
    >
      <TextArea
        label="Addresses"
        hint="One a line, with a note behind # if you like."
        mono
        rows={3}
        value={text}
        onChange={setText}
        placeholder={'203.0.113.7 # office\n198.51.100.0/24 # VPN'}
        spellCheck={false}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Protects" value={covers} onChange={setCovers} options={TRUSTED_COVERS} />
        <SelectField label="Who is not listed" value={mode} onChange={setMode} options={MODES} />
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
      title="OPTIONS requests"
      about="Browsers ask by OPTIONS before they call your API from another site, and cannot show a password then. Requests to these paths, and to those below, pass."
      changed={text !== before}
      busy={save.isPending}
      error={save.error}
      onSave={() => save.mutate({ optionsAllowlist: paths.length === 0 ? null : { paths } })}
    >
      <TextArea
        label="Paths"
        hint="One a line; each begins with /."
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
