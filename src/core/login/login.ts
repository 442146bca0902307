import { randomInt } from 'node:crypto'
import type { LoginMode } from '#contract/api/login.ts'
import { MINUTE } from '#contract/time.ts'

/** A request to log in: made by a program, accepted by a person through the link in a mail. */
export interface Login {
  readonly id: string
  readonly email: string
  readonly tokenName: string
  readonly securityCode: string
  readonly ip: string
  readonly userAgent: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly acceptedAt: number | null
  /** False where no mail was sent for it: it is accepted through an earlier mail, by entering its code. */
  readonly hasMail: boolean
}

export interface NewLogin {
  readonly email: string
  readonly tokenName: string
  readonly mode?: LoginMode
  /** The allowance of mails is used up: a mail that is waiting serves again. */
  readonly sparesMail?: boolean
}

export const LOGIN_LIFE = 30 * MINUTE

const FIRST = [
  'Amber',
  'Brave',
  'Bright',
  'Calm',
  'Clever',
  'Coral',
  'Crisp',
  'Eager',
  'Fair',
  'Gentle',
  'Golden',
  'Happy',
  'Jolly',
  'Kind',
  'Lively',
  'Lucky',
  'Mellow',
  'Misty',
  'Noble',
  'Quick',
  'Quiet',
  'Rapid',
  'Royal',
  'Silver',
  'Smart',
  'Snowy',
  'Solid',
  'Sunny',
  'Swift',
  'Tidy',
  'Vivid',
  'Warm',
] as const
const SECOND = [
  'Albatross',
  'Badger',
  'Beaver',
  'Bison',
  'Cheetah',
  'Condor',
  'Crane',
  'Dolphin',
  'Eagle',
  'Falcon',
  'Ferret',
  'Finch',
  'Gazelle',
  'Gecko',
  'Heron',
  'Ibis',
  'Jaguar',
  'Kestrel',
  'Koala',
  'Lemur',
  'Lynx',
  'Magpie',
  'Marten',
  'Narwhal',
  'Ocelot',
  'Osprey',
  'Otter',
  'Panther',
  'Pelican',
  'Puffin',
  'Raven',
  'Sparrow',
  'Stork',
  'Swallow',
  'Tapir',
  'Toucan',
  'Walrus',
  'Wombat',
  'Wren',
  'Yak',
] as const

const pick = (words: readonly string[]) => words[randomInt(words.length)] as string

/** Two words that a person compares between the terminal and the mail. */
export const newSecurityCode = (): string => `${pick(FIRST)} ${pick(SECOND)}`
