import { z } from 'zod/v3';
import type { RestClient } from './client';

/** The person that n8n belongs to. */
export interface Owner {
	email: string;
	password: string;
}

export const DEFAULT_OWNER: Owner = {
	email: 'owner@mediagen.example',
	password: 'Mediagen-sandbox-1',
};

const settingsSchema = z
	.object({
		userManagement: z.object({ showSetupOnFirstLoad: z.boolean().optional() }).passthrough(),
	})
	.passthrough();

/** Checks whether n8n's REST interface answers, which it does some moments after its port does. */
export async function restIsUp(api: RestClient): Promise<boolean> {
	const response = await api.raw.get<unknown>('/rest/settings').catch(() => undefined);
	return (
		response?.status === 200 && z.object({ data: settingsSchema }).safeParse(response.data).success
	);
}

/** Sets up the owner on a fresh user folder, logs in on a used one; a session that still holds is kept. */
export async function enter(api: RestClient, owner: Owner): Promise<void> {
	if (api.session && (await api.raw.get('/rest/login')).status === 200) return;
	const { userManagement } = await api.call(settingsSchema, { url: '/rest/settings' });
	if (userManagement.showSetupOnFirstLoad) {
		await api.call(z.unknown(), {
			method: 'POST',
			url: '/rest/owner/setup',
			data: { ...owner, firstName: 'Media', lastName: 'Gen' },
		});
	}
	await api.call(z.unknown(), {
		method: 'POST',
		url: '/rest/login',
		data: { emailOrLdapLoginId: owner.email, password: owner.password },
	});
}
