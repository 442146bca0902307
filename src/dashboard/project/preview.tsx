import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { isNotFound } from '#client/api-error.ts'
import { getPreview } from '#contract/api/preview.ts'
import { HOUR, MINUTE } from '#contract/time.ts'
import { useAccount } from '../api/account.tsx'
import { classes } from '../ui/classes.ts'

interface Image {
  readonly blob: Blob
  readonly isIcon: boolean
}

/** For this long after it was made, an image that is not there may still be taken. */
const MAY_COME = 10 * MINUTE

/** What a deployment shows, as an image that is asked for once it is there, and never again. */
function usePreview(id: string | undefined, createdAt: number): Image | null {
  const { id: accountId, client } = useAccount()
  const { data } = useQuery<Image | null>({
    queryKey: [accountId, 'deployment', 'preview', id],
    enabled: id !== undefined,
    retry: false,
    gcTime: HOUR,
    staleTime: ({ state }) =>
      (state.data ?? null) !== null || Date.now() - createdAt > MAY_COME ? 'static' : 0,
    queryFn: async ({ signal }) => {
      try {
        const response = await client.call(getPreview, { params: { id: id ?? '' }, signal })
        return {
          blob: await response.blob(),
          isIcon: response.headers.get('x-aloft-preview') === 'icon',
        }
      } catch (error) {
        if (isNotFound(error)) return null
        throw error
      }
    },
  })
  return data ?? null
}

function useAddress(blob: Blob | undefined): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (blob === undefined) return setAddress(undefined)
    const made = URL.createObjectURL(blob)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return address
}

/** A calm picture that is always the same for a name, where there is no other. */
function Backdrop({ name }: { name: string }) {
  let seed = 7
  for (const letter of name) seed = (seed * 31 + (letter.codePointAt(0) ?? 0)) % 100_003
  const hue = seed % 360
  const tone = (lightness: number, turn: number) => `oklch(${lightness} 0.07 ${(hue + turn) % 360})`
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 320 200"
      preserveAspectRatio="xMidYMid slice"
      className="absolute inset-0 size-full"
    >
      <rect width="320" height="200" fill={tone(0.72, 0)} />
      <circle cx={60 + (seed % 90)} cy={20 + (seed % 50)} r="34" fill={tone(0.88, 60)} opacity="0.7" />
      <path
        d={`M0 ${120 + (seed % 20)}Q80 ${80 + (seed % 40)} 170 ${125 - (seed % 25)}T320 ${95 + (seed % 30)}V200H0Z`}
        fill={tone(0.6, 24)}
        opacity="0.75"
      />
      <path
        d={`M0 ${160 - (seed % 15)}Q110 ${120 + (seed % 30)} 200 ${160 - (seed % 20)}T320 ${140 + (seed % 25)}V200H0Z`}
        fill={tone(0.46, 40)}
        opacity="0.85"
      />
    </svg>
  )
}

/** What a site looks like. Decoration: its name is always said beside it. */
export function Preview({
  id,
  createdAt = 0,
  name,
  className,
}: {
  /** Of the deployment; without one, the picture stands for the name alone. */
  id: string | undefined
  createdAt?: number | undefined
  name: string
  className?: string
}) {
  const image = usePreview(id, createdAt)
  const address = useAddress(image?.blob)
  return (
    <div className={classes('relative aspect-[16/10] overflow-hidden bg-hover', className)}>
      {(address === undefined || image?.isIcon) && <Backdrop name={name} />}
      {address !== undefined &&
        (image?.isIcon ? (
          <span className="absolute inset-0 grid place-items-center">
            <img src={address} alt="" className="size-12 rounded-xl bg-white object-contain p-2 shadow-md" />
          </span>
        ) : (
          <img src={address} alt="" className="absolute inset-0 size-full object-cover object-top" />
        ))}
    </div>
  )
}
