namespace Pipeline.Etl.Runner;

/// <summary>A target that commits a batch as a whole must send it anew, without messages whose key is held by one that it refused.</summary>
internal sealed class ResendException() : Exception("the batch is sent anew without what is held");
