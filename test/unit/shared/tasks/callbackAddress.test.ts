import { callbackAddressProblem } from '../../../../nodes/shared/tasks/callbackAddress';

test.each([
	['n8n', 'it is not a full http or https URL'],
	['http://10.0.0.5/hook', 'the service cannot reach the private host 10.0.0.5'],
	['https://api.example.com/hook', "it points at the service's own domain"],
	['https://api.example.com./hook', "it points at the service's own domain"],
	['https://localhost./hook', 'the service cannot reach the private host localhost.'],
	['https://n8n.example.com:5678/hook', undefined],
	['https://n8n.api.example.com/hook', undefined],
])('a callback to %s: %s', (address, problem) => {
	expect(callbackAddressProblem(address, 'https://api.example.com')).toBe(problem);
});

test('a callback address is checked also where the address of the service is not known', () => {
	expect(callbackAddressProblem('https://n8n.example.com/hook', '')).toBeUndefined();
});

test('the domain of the service is its own where the base URL ends its name with a dot', () => {
	const problem = callbackAddressProblem(
		'https://api.example.com/hook',
		'https://api.example.com.',
	);
	expect(problem).toBe("it points at the service's own domain");
});
