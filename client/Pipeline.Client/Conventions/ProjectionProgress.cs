using System.Text.Json.Serialization;

namespace Pipeline.Client.Conventions;

/// <summary>The position up to which a projection counts every event.</summary>
[Collection("Projections")]
internal sealed class ProjectionProgress
{
    public long Position { get; set; }
}

[JsonSerializable(typeof(ProjectionProgress))]
internal sealed partial class ProjectionJson : JsonSerializerContext;
