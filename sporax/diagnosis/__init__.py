"""Why a call failed, for messages: looked for when it has failed, at no cost to others."""
