namespace Pipeline.Akka.Tests.Benchmarks;

/// <summary>An event with a serializer of its own.</summary>
public sealed record Happened(string Text);
