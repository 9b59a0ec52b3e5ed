//! The statements of the program, each called as its file below `sql/`.

use crate::store::Statement;
use crate::store::statement::statements;

statements! {
    common {
        account_about_get account_about_list account_about_put account_by_id account_by_key account_by_name account_close account_count_kept_out
        account_deletion_ask account_deletion_decide account_deletion_list account_grown account_guard account_holds account_holds_list
        account_insert account_last_id account_list account_next_seq account_open_some account_quota base_list base_put base_sweep
        blob_needed blob_of_catalogue blob_shown browser_past_at browser_past_begin browser_past_delete browser_past_end browser_past_old certificate_texts change_after change_by_child change_by_sku change_child_insert change_child_texts
        change_cut_items change_delete_at change_delete_older change_delete_variant change_insert
        change_of_item change_sweep change_texts change_timeline change_timeline_by_sku change_variants_of_item
        difference_delete difference_example_delete difference_example_insert
        difference_example_list difference_insert difference_list difference_texts erasure_advance
        erasure_by_id erasure_certificate erasure_count_open erasure_count_open_of erasure_due_soon erasure_fault erasure_get erasure_id
        erasure_insert erasure_is_open erasure_list erasure_list_at erasure_list_ended erasure_list_open erasure_list_referenced erasure_lose erasure_place_add
        erasure_place_found erasure_place_list erasure_refer erasure_reference_texts erasure_seal erasure_step_insert erasure_step_list
        erasure_understood erasure_verify erasure_wait erasure_working event_after event_request_delete
        event_request_ended event_request_put feed_settings_get feed_settings_put feed_source_get
        feed_source_put feed_source_sweep held_snapshot_delete held_snapshot_insert
        held_snapshot_list held_snapshot_seqs identifier_alone identifier_become identifier_by_tag
        identifier_count identifier_crowd identifier_delete identifier_drop identifier_former_end identifier_formers identifier_insert
        identifier_leads identifier_logged_in identifier_leave identifier_leaving identifier_log_out identifier_log_out_all
        identifier_of_subject identifier_profile_removed
        identifier_typed_delete issue_count_add issue_count_copy issue_count_delete issue_count_insert
        issue_count_list job_beat job_claim job_delete job_due job_expire job_held job_idle_delete
        job_leases job_progress job_release job_take_away job_turn job_void_all job_wake ledger_begin
        ledger_by_id ledger_count ledger_head_get ledger_heads ledger_insert ledger_list ledger_node_get
        ledger_node_insert ledger_texts node_accounts_changed node_accounts_get node_backed_up
        node_backup_get node_beat node_browsers_begin node_browsers_since node_bind_keys node_claim node_epoch_reach node_get node_keys_reach node_keys_reached node_history node_history_begin
        node_journal_account node_journal_get node_journal_next node_journal_put node_release
        operator_act_insert operator_act_list operator_by_link operator_by_tag operator_code_used operator_get operator_insert operator_list operator_name_delete
        operator_name_insert operator_restored operator_set operator_shop_clear operator_shop_get operator_shop_insert operator_shop_list
        order_known_accounts order_known_came_with order_known_count order_known_count_email order_known_delete_some
        order_known_drop order_known_get order_known_grew order_known_insert
        order_known_noted order_known_of_email order_known_untyped order_known_waiting
        payload_count_people payload_delete payload_get payload_insert payload_note_people
        record_add record_all record_count record_delete_kind record_delete_some record_drop record_ended
        record_get record_keyed record_newest record_next record_put record_seq record_timeline row_issue_copy row_issue_delete
        row_issue_insert row_issue_last row_issue_list row_issue_of_row row_issue_texts search_settings_get search_settings_put
        secret_expire secret_insert
        secret_list setting_texts secret_revoke secret_revoke_all shop_list_delete shop_list_get shop_list_insert shop_list_list shop_list_newest shop_list_texts shown_get shown_move shut_browser_delete shut_browser_get shut_browser_put slot_last slot_of_known
        slot_used snapshot_delete snapshot_insert snapshot_list snapshot_renew subject_close
        subject_close_led subject_count subject_delete subject_destroyed subject_get subject_given_up subject_insert subject_is_going subject_of_erasure
        subject_page subject_withdrawn submission_by_token submission_count_open submission_delete submission_delta_queue submission_expired
        submission_feeds_before submission_finish submission_finish_deltas
        submission_finish_followers submission_follow submission_follower_count submission_followers_open submission_get
        submission_insert submission_is_published submission_newest_feeds submission_note_reason
        submission_open_same submission_publish submission_read_as submission_ready submission_recent submission_texts
        submission_waiting suppression_get suppression_lift suppression_put
        upload_close upload_count upload_delete upload_extend upload_get upload_idle upload_insert
        upload_piece_delete upload_piece_insert upload_piece_list upload_piece_texts upload_received
        user_removal_delete user_removal_get user_removal_put user_removal_sweep
        webhook_claim webhook_delete webhook_delivered webhook_due webhook_failed webhook_get webhook_insert webhook_is_on
        webhook_listening webhook_lost webhook_mark webhook_marks webhook_message_anew webhook_message_claim webhook_message_clear
        webhook_message_delete webhook_message_drop webhook_message_insert webhook_message_next webhook_message_texts webhook_off webhook_rotate
        webhook_set
    }
    pairs {
        standby_look submission_status
    }
}
