import { Outlet } from '@tanstack/react-router'

export const SettingsFrame = () => <Outlet />
