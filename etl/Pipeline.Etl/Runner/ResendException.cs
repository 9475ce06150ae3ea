namespace Pipeline.Etl.Runner;

/// <summary>
/// A target that commits a batch as a whole must resend it without the messages whose key a refused message holds.
/// </summary>
internal sealed class ResendException() : Exception("the batch is resent without the messages whose key is held");
