namespace Pipeline.Etl.Runner;

/// <summary>
/// A change that fails must get a separate batch. The task drops the changes in memory and at once rereads those before
/// the failing one.
/// </summary>
internal sealed class SplitBatchException()
    : Exception("the batch is reread up to but not including the change that fails");
