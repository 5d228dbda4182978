(* Compiled: what it proves is written to a file. *)
Require Import Arith.
Theorem commutes : forall n m : nat, n + m = m + n.
Proof. induction n; intros; simpl; [ now rewrite <- plus_n_O | now rewrite IHn, plus_n_Sm ]. Qed.
Definition fast := Eval vm_compute in Nat.pow 2 10.
Print fast.
