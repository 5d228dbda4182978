(* lia's certificates, and vm_compute on numbers, fixpoints, cofixpoints, machine integers, floats. *)
Require Import Lia ZArith List Uint63 Floats PArray.
Import ListNotations.
Open Scope Z_scope.

Lemma between : forall x y : Z, 2 * x + 3 * y = 7 -> 0 <= x <= 1 -> x < 2.
Proof. intros; lia. Qed.

Lemma no_solution : forall x y z : Z, 4 * x + 6 * y = 2 * z + 1 -> False.
Proof. intros; lia. Qed.

Fixpoint sum (n : nat) : Z := match n with O => 0 | S k => Z.of_nat n + sum k end.
Lemma sum_of_500 : sum 500 = 125250.
Proof. vm_compute. reflexivity. Qed.
Lemma closed : forall n, 2 * sum n = Z.of_nat n * (Z.of_nat n + 1).
Proof. induction n; cbn [sum]; [ reflexivity | lia ]. Qed.
Print Assumptions closed.

Fixpoint even n := match n with O => true | S k => odd k end
with odd n := match n with O => false | S k => even k end.
Eval vm_compute in map even [3; 4; 100; 1001]%nat.
Eval vm_compute in fun (f : bool -> bool) n => f (even (S n)).
Eval vm_compute in fix f n := match n with O => even 5 | S k => f k end.

CoInductive stream := Cons : nat -> stream -> stream.
CoFixpoint from n := Cons n (from (S n)).
Definition head s := match s with Cons n _ => n end.
Definition tail s := match s with Cons _ t => t end.
Eval vm_compute in head (tail (tail (from 3))).

Fixpoint collatz (fuel : nat) (n : Z) : nat :=
  match fuel with
  | O => O
  | S k => if n =? 1 then O else S (collatz k (if Z.even n then n / 2 else 3 * n + 1))
  end.
Eval vm_compute in map (collatz 1000) [6; 27; 97; 871].
Eval vm_compute in (List.fold_left Z.add (map (fun n => Z.of_nat (collatz 300 (Z.of_nat n))) (seq 1 400)) 0).

Eval vm_compute in (3 + 4 * 5)%uint63.
Eval vm_compute in PrimFloat.sqrt 2.
Eval vm_compute in PArray.get (PArray.set (PArray.make 5 0%uint63) 3 7%uint63) 3.

Lemma wrong : forall x : Z, x < 3 -> x < 2.
Proof. intros. Fail lia. Abort.
Check no_such_name.
