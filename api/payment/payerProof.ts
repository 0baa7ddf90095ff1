import type { Hex } from 'viem'
import { signedBy } from '../classic/payerSignature.ts'
import type { Problem } from '../errors.ts'
import type { Authorization } from '../settlement/port.ts'

/** Header in which payers show, by a fresh EIP-191 signature, that they are not copying somebody else's payment. */
export const PAYER_SIGNATURE_HEADER = 'X-Service-Payer-Signature'

export type Proof = { authorization: Authorization; publicUrl: string; signature: string }

/** The text the payer signs. It names us and the payment, so that it is good nowhere else. */
export const proofText = ({ authorization, publicUrl }: Omit<Proof, 'signature'>): string =>
  `${publicUrl} answer of payment ${authorization.nonce}`

/** The settled authorization itself is public and proves nothing; only its payer can sign this. */
export const isByPayer = async (proof: Proof): Promise<boolean> =>
  (await signedBy(proofText(proof), proof.signature)) === proof.authorization.from

/** A form that the code of a wallet may confirm (EIP-1271): any bytes, 2 KiB at most. */
export const mayBeOfWallet = (signature: string): signature is Hex =>
  /^0x(?:[0-9a-f]{2}){1,2048}$/i.test(signature)

/** What the payer has to do, for the reply that asks for the proof. */
export const proofWanted = (proof: Omit<Proof, 'signature'>): NonNullable<Problem['extra']> =>
  proveBySigning(proofText(proof))

export const proveBySigning = (text: string): NonNullable<Problem['extra']> => ({
  prove: { header: PAYER_SIGNATURE_HEADER, scheme: 'EIP-191', text },
})
