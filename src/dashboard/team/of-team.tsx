import { Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useAccount } from '../api/account.tsx'

/** What only teams have. At the same address of a person is their profile. */
export const OfTeam = ({ children }: { children: ReactNode }) =>
  useAccount().kind === 'team' ? children : <Navigate to="/account" replace />
