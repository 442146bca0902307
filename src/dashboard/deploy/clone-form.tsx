import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Framework } from '#contract/api/project.ts'
import { parseEnv } from '#contract/parse-env.ts'
import { sentence } from '#contract/words/wording.ts'
import { useAccount } from '../api/account.tsx'
import { useAction } from '../api/query.ts'
import { PRESETS } from '../setting/build/presets.ts'
import { Button } from '../ui/control/button.tsx'
import { SelectField, TextArea, TextField } from '../ui/control/field.tsx'
import { ShownOnce } from '../ui/dialog/shown-once.tsx'
import { Failure } from '../ui/feedback/failure.tsx'
import { Card } from '../ui/layout/card.tsx'
import { Facts } from '../ui/layout/facts.tsx'
import { submitting } from '../ui/submitting.ts'
import { AskedVariables } from './asked-variables.tsx'
import { createFromRepository } from './create-from-repository.ts'
import type { DeployButton } from './deploy-button.ts'
import { Inspected, type InspectedFolder, useInspection } from './inspected.tsx'
import { nameFrom } from './selection.ts'

const SETTING_NAMES = {
  buildCommand: 'Build command',
  installCommand: 'Install command',
  outputDirectory: 'Output directory',
} as const

const FRAMEWORK_OPTIONS = (Object.keys(PRESETS) as Framework[]).map((value) => ({
  value,
  label: PRESETS[value].name,
}))

const CLICK_MS = 300

/** The folders that were found, and the one that is chosen. */
function foldersOf(found: readonly InspectedFolder[] = [], chosen: string) {
  const folders = found.some(({ path }) => path === chosen)
    ? found
    : [...found, { path: chosen, framework: null }]
  const all = folders.some(({ path }) => path === '') ? folders : [{ path: '', framework: null }, ...folders]
  return all.map(({ path, framework }) => ({
    value: path,
    label: `${path === '' ? 'The whole repository' : path}${framework === null ? '' : ` – ${framework.name}`}`,
  }))
}

/** A new project from a repository, as the link of a deploy button asks for it. */
export function CloneForm({ button, onOther }: { button: DeployButton; onOther: () => void }) {
  const account = useAccount()
  const navigate = useNavigate()
  const [url, setUrl] = useState(button.url)
  const [name, setName] = useState(button.name)
  const [token, setToken] = useState('')
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const isSsh = !button.chosen && /^(?:ssh:|[^/]+@)/.test(url)
  const clean = name.replace(/-+$/, '')
  /** What the repository was last asked for with. */
  const [asked, setAsked] = useState({ url: button.url, token: '' })
  // What comes of it moves what stands below; the click that ended the typing reaches its button first.
  const askAgain = () => setTimeout(() => setAsked({ url: url.trim(), token }), CLICK_MS)
  const inspection = useInspection(
    isSsh ? undefined : (button.chosen ?? asked),
    button.branch === '' ? undefined : button.branch,
  )
  const [folder, setFolder] = useState<string>()
  const root = folder ?? (button.rootDirectory || inspection.data?.rootDirectory || '')
  const inspected = inspection.data?.folders.find(({ path }) => path === root)
  const [framework, setFramework] = useState<Framework | ''>('')
  const [written, setWritten] = useState<string>()
  const env = written ?? (inspected?.variables ?? []).map((key) => `${key}=\n`).join('')
  const { entries, problems } = parseEnv(env)
  const settings = {
    ...(root !== '' && { rootDirectory: root }),
    ...(framework !== '' && { framework }),
    ...button.settings,
  }
  const variables = [
    ...button.variables.map((key) => ({ key, value: values[key] ?? '' })),
    ...entries.filter(({ key, value }) => value !== '' && !button.variables.includes(key)),
  ]

  const create = useAction(
    (_: undefined, { client }) =>
      createFromRepository(client, {
        ...{ name: clean, settings, variables, branch: button.branch },
        source: button.chosen ?? { url: url.trim(), ...(token === '' || isSsh ? {} : { token }) },
      }),
    {
      changes: ['project', 'env', 'push'],
      done: `${clean} created. Its first deployment has started.`,
      quiet: true,
    },
  )
  // Over SSH nothing can be read before its host has the key, which the Git page shows.
  const open = () =>
    isSsh
      ? void navigate({
          to: '/a/$account/projects/$project/git',
          params: { account: account.slug, project: clean },
        })
      : void navigate({ to: '/a/$account/new', params: { account: account.slug }, search: { first: clean } })

  return (
    <form
      className="space-y-6"
      onSubmit={submitting(() =>
        create.mutate(undefined, { onSuccess: ({ webhookSecret }) => webhookSecret ?? open() }),
      )}
    >
      <Card
        title="Repository"
        about="Its code is built and run on this installation. Deploy only repositories that you trust."
        actions={
          <Button size="small" icon="refresh" onClick={onOther} disabled={create.isPending}>
            Choose something else
          </Button>
        }
      >
        {button.chosen ? (
          <p className="font-medium break-all">{button.chosen.repository}</p>
        ) : (
          <div className="grid gap-5 md:grid-cols-2">
            <TextField
              label="Repository URL"
              value={url}
              onChange={setUrl}
              onBlur={askAgain}
              required
              maxLength={1000}
              literal
              hint={
                isSsh
                  ? 'The project gets a deploy key to add to the repository.'
                  : button.branch === ''
                    ? undefined
                    : `Branch ${button.branch}`
              }
            />
            {!isSsh && (
              <TextField
                label="Access token (optional)"
                hint="Needed for private repositories; it only has to read the repository."
                type="password"
                value={token}
                onChange={setToken}
                onBlur={askAgain}
                maxLength={1000}
                autoComplete="off"
              />
            )}
          </div>
        )}
        {!isSsh && <Inspected {...inspection} />}
      </Card>
      {button.variables.length > 0 && (
        <AskedVariables
          button={button}
          values={values}
          onChange={(key, value) => setValues((all) => ({ ...all, [key]: value }))}
        />
      )}
      <Card
        title="Project"
        footer={
          <>
            <span className="min-w-0 flex-1">
              {sentence(`In ${account.name}`)} Deploys to production now, and again whenever the repository
              changes.
            </span>
            <Button
              type="submit"
              look="primary"
              icon="rocket"
              disabled={clean === '' || problems.length > 0 || create.isPending}
            >
              {create.isPending ? 'Creating…' : 'Deploy'}
            </Button>
          </>
        }
      >
        <div className="space-y-5">
          <TextField
            label="Name"
            hint="Lowercase letters, digits and hyphens. Part of the URL."
            value={name}
            onChange={(text) => setName(nameFrom(text))}
            required
            disabled={create.isPending}
            literal
          />
          <div className="grid gap-5 md:grid-cols-2">
            <SelectField
              label="Root directory"
              hint="The folder of the repository that contains the site or app."
              value={root}
              onChange={setFolder}
              options={foldersOf(inspection.data?.folders, root)}
              disabled={create.isPending}
            />
            <SelectField
              label="Framework"
              hint="Determines how the code is built. You can change it later."
              value={framework}
              onChange={setFramework}
              options={[
                {
                  value: '',
                  label: inspected?.framework
                    ? `${inspected.framework.name} (detected)`
                    : 'Detect automatically',
                },
                ...FRAMEWORK_OPTIONS,
              ]}
              disabled={create.isPending}
            />
          </div>
          <TextArea
            label="Environment variables (optional)"
            hint="One NAME=value per line, as in a .env file. Names without a value are left out."
            error={problems.length === 0 ? undefined : `Line ${problems[0]?.line}: ${problems[0]?.why}`}
            mono
            value={env}
            onChange={setWritten}
            disabled={create.isPending}
            spellCheck={false}
          />
          {Object.keys(button.settings).length > 0 && (
            <Facts
              facts={Object.entries(button.settings).map(([key, value]) => [
                SETTING_NAMES[key as keyof typeof SETTING_NAMES],
                <code key={key} className="break-all">
                  {value}
                </code>,
              ])}
            />
          )}
          <Failure error={create.error} />
        </div>
      </Card>
      {create.data?.webhookSecret !== undefined && (
        <ShownOnce
          title="Copy the webhook secret now"
          about="Changes to the repository are detected within five minutes. To deploy them immediately, add the webhook URL of the Git page to the repository, with this secret. You won't be able to see it again."
          secret={create.data.webhookSecret}
          onClose={open}
        />
      )}
    </form>
  )
}
