import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { addDomain } from '#contract/api/domain.ts'
import { buyDomain, getDomainPrice, getDomainRegistry, getDomainStatus } from '#contract/api/registrar.ts'
import { count } from '#contract/words/wording.ts'
import { useAccount } from '../api/account.tsx'
import { explain } from '../api/explain.ts'
import { useAction } from '../api/query.ts'
import { TextField } from '../ui/control/field.tsx'
import { FormDialog } from '../ui/dialog/form-dialog.tsx'

export type DomainMethod = 'add' | 'buy' | 'transfer'

const WORDS: Readonly<Record<DomainMethod, { title: string; about: string; ask: string; deed: string }>> = {
  add: {
    title: 'Add domain',
    about: 'A domain you own. Its subdomains are included.',
    ask: 'Add domain',
    deed: '',
  },
  buy: {
    title: 'Buy domain',
    about: 'It’s verified immediately and uses the Aloft nameservers.',
    ask: 'Check availability',
    deed: 'Buy',
  },
  transfer: {
    title: 'Transfer in',
    about: 'Move a domain from another registrar. This renews it for one year.',
    ask: 'Check eligibility',
    deed: 'Transfer',
  },
}

interface Offer {
  readonly name: string
  readonly price: number
  readonly period: number
}

/** Gets a domain into the account. What costs money says how much before it is done. */
export function GetDomainDialog({ way, onClose }: { way: DomainMethod; onClose: () => void }) {
  const account = useAccount()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [code, setCode] = useState('')
  const [offer, setOffer] = useState<Offer>()
  const name = text.trim().toLowerCase()
  const words = WORDS[way]

  const open = (domain: string) => {
    onClose()
    void navigate({ to: '/a/$account/domains/$name', params: { account: account.slug, name: domain } })
  }
  const add = useAction((_: undefined, { client }) => client.call(addDomain, { body: { name } }), {
    changes: ['domain'],
    quiet: true,
  })
  /** What it would cost, if it is to be had. */
  const ask = useAction(
    async (_: undefined, { client }): Promise<Offer> => {
      if (way === 'buy') {
        const { available } = await client.call(getDomainStatus, { query: { name } })
        if (!available) throw new Error(`${name} is already taken. Try another name or another ending.`)
        return { name, ...(await client.call(getDomainPrice, { query: { name } })) }
      }
      const { transferable, reason } = await client.call(getDomainRegistry, { params: { name } })
      if (!transferable) throw new Error(`${name} can’t be transferred: ${reason}`)
      return { name, ...(await client.call(getDomainPrice, { query: { name, type: 'transfer' } })) }
    },
    { changes: [], quiet: true },
  )
  const pay = useAction(
    async ({ name, price }: Offer, { client }) => {
      if (way === 'buy') await client.call(buyDomain, { body: { name, expectedPrice: price } })
      else
        await client.call(addDomain, {
          body: { name, method: 'transfer-in', authCode: code, expectedPrice: price },
        })
    },
    {
      changes: ['domain', 'dns-record'],
      done: (_, { name }) => (way === 'buy' ? `${name} is yours.` : `Transfer of ${name} started.`),
      quiet: true,
    },
  )
  const error = add.error ?? ask.error ?? pay.error

  return (
    <FormDialog
      title={words.title}
      about={words.about}
      onClose={onClose}
      action={offer === undefined ? words.ask : `${words.deed} for $${offer.price}`}
      busy={add.isPending || ask.isPending || pay.isPending}
      onSubmit={() => {
        if (way === 'add') add.mutate(undefined, { onSuccess: ({ domain }) => open(domain.name) })
        else if (offer === undefined) ask.mutate(undefined, { onSuccess: setOffer })
        else pay.mutate(offer, { onSuccess: () => open(offer.name) })
      }}
    >
      <TextField
        label="Domain"
        value={text}
        onChange={(next) => {
          setText(next)
          setOffer(undefined)
        }}
        error={error && !offer ? explain(error) : undefined}
        placeholder="example.com"
        required
        maxLength={253}
        literal
      />
      {way === 'transfer' && (
        <TextField
          label="Authorization code"
          hint="From your current registrar. Also called auth code or EPP code."
          mono
          value={code}
          onChange={setCode}
          required
          maxLength={256}
          literal
        />
      )}
      {offer !== undefined && (
        <p className="rounded-lg bg-good-soft p-3 text-sm text-good">
          {way === 'buy' ? `${offer.name} is available.` : `${offer.name} can be transferred.`} It costs{' '}
          <strong>${offer.price}</strong> for {count(offer.period, 'year')}.
        </p>
      )}
      {error && offer !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {explain(error)}
        </p>
      )}
    </FormDialog>
  )
}
