namespace Pipeline.Akka.Tests.Benchmarks;

/// <summary>An event type that has a dedicated serializer.</summary>
public sealed record Happened(string Text);
