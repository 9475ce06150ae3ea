namespace Pipeline.Etl.Runner;

/// <summary>A change that the task fails at is to be a batch of its own: what is in memory is dropped and read again at once, up to before that change.</summary>
internal sealed class SplitBatchException() : Exception("the batch is read anew up to before the change that fails");
