/* The package scipy-openblas32 puts "scipy_" before every name of OpenBLAS. This gives the names that Theano's C
   code calls back to it; Theano's compiler includes it before everything else. */
#define sdot_ scipy_sdot_
#define ddot_ scipy_ddot_
#define sgemv_ scipy_sgemv_
#define dgemv_ scipy_dgemv_
#define sger_ scipy_sger_
#define dger_ scipy_dger_
#define sgemm_ scipy_sgemm_
#define dgemm_ scipy_dgemm_
#define openblas_set_num_threads scipy_openblas_set_num_threads
#define openblas_get_num_threads scipy_openblas_get_num_threads
#define goto_set_num_threads scipy_goto_set_num_threads
