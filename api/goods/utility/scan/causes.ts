import { type Failure, phrases } from './failure.ts'

/** Words of x402's payment channels, where they are said in full: others say `channel_not_found`, too. */
const channelWords = (words: string): string =>
  words
    .trim()
    .split(/\s+/)
    .map((word) => `batch_settlement_evm_${word}`)
    .join('|')

/** Failures that bring others about: money, the machine, the database, the way to another host. */
export const CAUSES: readonly Failure[] = [
  {
    name: 'payment_insufficient_funds',
    area: 'payment',
    retryable: false,
    next: 'Fund the payer with the asset the 402 names, then sign a new authorization.',
    says: phrases(`
      insufficient_funds | insufficient_balance | insufficient funds | transfer amount exceeds balance
      insufficient balance | exceeds_balance | invalid_exact_evm_insufficient_balance
      permit2_insufficient_balance | ${channelWords('refund_no_balance')}`),
  },
  {
    name: 'payment_nonce_used',
    area: 'payment',
    retryable: false,
    next: 'Sign a new authorization with fresh random 32 bytes as nonce; never reuse one.',
    says: phrases(`
      nonce_already_used | nonce_used | nonce already used | authorization is used or canceled
      authorization is used | authorizationused | authorizationalreadyused | permit2_invalid_nonce
      payment already used`),
  },
  {
    name: 'payment_invalid_signature',
    area: 'payment',
    retryable: false,
    next: 'Check chain id, token name, version and contract of the EIP-712 domain, and that authorization.from signs.',
    says: phrases(`
      invalid_signature | evm_signature | evm_payload_signature | invalid signature | invalid_permit2_signature
      failed_to_parse_signature | bad_signature | bad signature | token_name_mismatch
      token_version_mismatch | missing_eip712_domain | voucher_signature
      erc20_approval_tx_signer_mismatch | ${channelWords('receive_authorization_signature')}`),
  },
  {
    name: 'payment_window',
    area: 'payment',
    retryable: false,
    next: 'Sign again with validAfter in the past and validBefore at now + maxTimeoutSeconds; check the clock.',
    says: phrases(`
      authorization_valid_before | authorization_valid_after | authorization is expired
      authorization is not yet valid | permit2_deadline_expired | permit2_not_yet_valid
      permit2_payment_too_early | payment_expired | payment expired | window_too_long
      eip2612_deadline_expired`),
  },
  {
    name: 'payment_wallet',
    area: 'payment',
    retryable: false,
    next: 'Pay from an ordinary account or deploy the contract wallet first: this payee settles for no other.',
    says: phrases(`eip6492_factory_not_allowed | undeployed_smart_wallet | wallet_not_supported`),
  },
  {
    name: 'payment_blocked',
    area: 'payment',
    retryable: false,
    next: 'The token or the facilitator refuses one of the two addresses: ask it why; signing again changes nothing.',
    says: phrases(`from_address_kyt | to_address_kyt | blocked_party
      blacklistable: account is blacklisted`),
  },
  {
    name: 'payment_not_signed',
    area: 'payment',
    retryable: false,
    next: 'The client signed nothing, so nothing is paid: raise its spend cap, or register a signer for the network of the 402.',
    //  "Failed to create payment payload" stands before whatever else went wrong there, such as a node that is down
    says: phrases(`
      rejected by spendcontrols | payment creation aborted | filtered out by policies for x402 version
      no payment requirements with a recognized paymentflow | no client registered for scheme
      no client registered for x402 version | no network/scheme registered for x402 version`),
  },
  {
    name: 'payment_terms',
    area: 'payment',
    retryable: false,
    next: 'Read accepts[] of a fresh 402 and sign it unchanged: recipient, amount, asset, network, scheme.',
    says: phrases(`
      recipient_mismatch | authorization_value | authorization_value_mismatch | amount_mismatch
      network_mismatch | evm_scheme | invalid_scheme | invalid_network | invalid_payment_requirements
      invalid_x402_version | unsupported_scheme | unsupported_payload_type
      unsupported_asset_transfer_method | eip3009_not_supported | invalid_payload
      no matching payment requirements | permit2_amount_mismatch | permit2_token_mismatch
      permit2_allowance_required | wrong_amount | wrong_recipient | offer_mismatch
      extension_echo_mismatch | redemption_missing | unsupported x402 version | asset_not_deployed_contract
      invalid_permit2_spender | permit2_proxy_not_deployed | permit2_invalid_amount
      permit2_invalid_destination | permit2_invalid_owner | upto_facilitator_mismatch
      upto_unauthorized_facilitator | upto_amount_exceeds_permitted | settlement_exceeds_amount
      invalid_eip2612_extension_format | eip2612_from_mismatch | eip2612_asset_mismatch
      eip2612_spender_not_permit2 | invalid_erc20_approval_extension_format | erc20_approval_from_mismatch
      erc20_approval_asset_mismatch | erc20_approval_spender_not_permit2 | erc20_approval_tx_wrong_target
      erc20_approval_tx_wrong_spender | erc20_approval_tx_wrong_selector | erc20_approval_tx_invalid_calldata
      erc20_approval_tx_parse_failed
      ${channelWords(`
        payload_type token_mismatch receiver_mismatch receiver_authorizer_mismatch authorizer_address_mismatch
        authorizer_not_configured withdraw_delay_mismatch withdraw_delay_out_of_range deposit_below_min_deposit
        missing_channel channel_not_found channel_id_mismatch channel_id_invalid cumulative_below_claimed
        charge_exceeds_signed_cumulative refund_payload refund_amount_invalid nothing_to_settle
        permit2_invalid_spender permit2_authorization_required erc3009_authorization_required`)}`),
  },
  {
    name: 'payment_settlement',
    area: 'payment',
    retryable: true,
    next: 'Look the payment up on chain before paying again; then repeat the same request with the same payment.',
    says: phrases(`
      settle_failed | transfer_failed | settlement failed | settlement_pending | transaction_simulation_failed
      evm_transaction_failed | invalid_transaction_state | transfer_event_mismatch
      unexpected_settle_error | unexpected_verify_error | smart_wallet_deployment_failed
      permit2_simulation_failed | facilitator error | facilitatortimeouterror | facilitatorresponseerror
      settleerror | erc20_approval_tx_failed | erc20_approval_broadcast_failed
      ${channelWords(`
        deposit_transaction_failed deposit_simulation_failed claim_transaction_failed claim_simulation_failed
        settle_transaction_failed settle_simulation_failed refund_transaction_failed refund_simulation_failed
        rpc_read_failed verification_state_unavailable erc20_approval_unavailable channel_busy`)}
      execution reverted
      replacement transaction underpriced | nonce too low | intrinsic gas too low
      transaction underpriced`),
  },
  {
    name: 'payment_required',
    area: 'payment',
    retryable: false,
    next: 'Pay: sign one of accepts[] of the 402 and repeat the GET with PAYMENT-SIGNATURE.',
    says: phrases(`payment required | payment_required | payment-required`),
    statuses: [402],
  },
  {
    name: 'out_of_memory',
    area: 'host',
    retryable: false,
    next: 'Raise the memory limit or lower the load; take a heap snapshot if it grows steadily.',
    says: phrases(`
      out of memory | outofmemoryerror | oomkilled | oom-kill | oom killer | oom_kill | heap out of memory
      cannot allocate memory | enomem | memoryerror | std::bad_alloc | allocation failed
      memory limit exceeded | insufficient memory for the java runtime | insufficient memory to continue
      java heap space | gc overhead limit exceeded | exit code 137 | exited with code 137 | oom command not allowed
      allowed memory size of | fork: resource temporarily unavailable | fork: retry: resource temporarily unavailable
      spawn eagain`),
  },
  {
    name: 'disk_full',
    area: 'host',
    retryable: false,
    next: 'Free space or extend the volume, then restart what stopped writing.',
    says: phrases(`
      no space left on device | enospc | disk full | disk is full | disk quota exceeded | edquot
      not enough space on the disk | could not extend file | database or disk is full | not_enough_space`),
    statuses: [507],
  },
  {
    name: 'disk_error',
    area: 'host',
    retryable: false,
    next: 'Check the disk and the file system before anything else is written.',
    says: phrases(`
      input/output error | eio | read-only file system | erofs | i/o error | corrupted page
      checksum mismatch | data corruption | stale file handle | estale`),
  },
  {
    name: 'too_many_files',
    area: 'host',
    retryable: true,
    next: 'Raise the limit of open files and look for handles that are never closed.',
    says: phrases(`too many open files | emfile | enfile | file descriptor limit`),
  },
  {
    name: 'unschedulable',
    area: 'host',
    retryable: true,
    next: 'Free or add capacity, or lower what the workload asks for; its events name what is short.',
    says: phrases(`
      failedscheduling | unschedulable | insufficient cpu | insufficient ephemeral-storage
      insufficientinstancecapacity | insufficient capacity | the node was low on resource | reason: evicted
      didn't match pod's node affinity | had untolerated taint | is forbidden: exceeded quota:`),
    //  of so many nodes; without a number a program ran out of it
    shows: [/\b[0-9]{1,6} insufficient memory\b/g],
  },
  {
    name: 'port_in_use',
    area: 'host',
    retryable: false,
    next: 'Stop the other process on that port or listen elsewhere.',
    says: phrases(`eaddrinuse | address already in use | port is already allocated | bind: address already
      cannot assign requested address | can't assign requested address | eaddrnotavail`),
  },
  {
    name: 'db_lock',
    area: 'database',
    retryable: true,
    next: 'Repeat the transaction; take locks in one order and keep transactions short.',
    says: phrases(`
      deadlock | lock wait timeout | database is locked | sqlite_busy | could not obtain lock
      lock timeout | could not serialize access | 40p01 | er_lock_deadlock | er_lock_wait_timeout
      canceling statement due to lock timeout | ora-00060 | lock_not_available`),
    sqlStates: ['40001'], //  digits alone would not do: ports and processes have them too
  },
  {
    name: 'db_connection',
    area: 'database',
    retryable: true,
    next: 'Check that the database is up and the pool is large enough; look for connections that are not given back.',
    says: phrases(`
      too many connections | too many clients already | remaining connection slots
      connection pool exhausted | timeout acquiring a connection | pool timeout | queuepool limit
      the database system is starting up | the database system is shutting down | server has gone away
      lost connection to mysql | mongonetworkerror | mongoserverselectionerror | redis connection
      connection to server at | p1001 | clusterdown | loading redis is loading`),
  },
  {
    name: 'db_constraint',
    area: 'database',
    retryable: false,
    next: 'Correct the row: a unique, foreign or not-null rule of the table refuses it.',
    says: phrases(`
      duplicate key | unique constraint | violates foreign key | violates not-null | integrityerror
      er_dup_entry | duplicate entry | integrity constraint violation | integrityconstraintviolationexception
      sqlintegrityconstraintviolationexception | value too long for type | foreign key constraint fails | sqlite_constraint | e11000 | unique violation`),
  },
  {
    name: 'db_statement',
    area: 'database',
    retryable: false,
    next: 'Correct the statement or run the missing migration.',
    says: phrases(`
      no such table | unknown column | no such column | sqlsyntaxerror | syntax error at or near
      you have an error in your sql syntax | invalid input syntax for type | undefined table | undefined column | unknown_table
      er_no_such_table | undefinedtable | undefinedcolumn | base table or view not found | column not found
      error: relation " | error:  relation " | error: column " | error:  column " | pq: relation " | pq: column "`),
    sqlStates: ['42p01', '42703', '42s02', '42s22'],
  },
  {
    name: 'dns',
    area: 'network',
    retryable: true,
    next: 'Check the hostname for typing errors and the resolver; then try again.',
    says: phrases(`
      enotfound | eai_again | getaddrinfo | name or service not known
      temporary failure in name resolution | could not resolve host | nxdomain | no such host
      unknownhostexception | servfail | nodename nor servname | name resolution failed
      dns_probe_finished`),
  },
  {
    name: 'tls',
    area: 'network',
    retryable: false,
    next: 'Check the certificate: date, host name, chain; never turn verification off.',
    says: phrases(`
      certificate has expired | cert_has_expired | self signed certificate | self-signed certificate
      depth_zero_self_signed_cert | unable_to_verify_leaf_signature
      unable to verify the first certificate | unable_to_get_issuer_cert | certificate verify failed
      err_tls_cert_altname_invalid | err_cert | hostname/ip does not match | x509 | ssl handshake | tls handshake
      sslhandshakeexception | sslerror | ssl_error | err_ssl | eproto | wrong version number
      handshake failure | tls: | ssl certificate problem | unable to get local issuer certificate | certificate_verify_failed`),
    statuses: [495, 496, 525, 526],
  },
  {
    name: 'connection_refused',
    area: 'network',
    retryable: true,
    next: 'Start the service that should listen there, or correct host and port.',
    says: phrases(`
      econnrefused | connection refused | connectionrefusederror | actively refused it
      failed to connect to | could not connect to | err_connection_refused`),
    statuses: [521],
  },
  {
    name: 'unreachable',
    area: 'network',
    retryable: true,
    next: 'Check route, firewall and network policy between the two.',
    says: phrases(`
      ehostunreach | enetunreach | ehostdown | enetdown | no route to host | network is unreachable
      host is unreachable | network is down | host is down`),
    statuses: [523],
  },
]
