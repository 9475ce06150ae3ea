using System.Text;
using Akka.Actor;
using Akka.Serialization;

namespace Pipeline.Akka.Tests.Benchmarks;

/// <summary>Writes the text and nothing else.</summary>
public sealed class HappenedSerializer(ExtendedActorSystem system) : SerializerWithStringManifest(system)
{
    /// <inheritdoc/>
    public override int Identifier => 9_701;

    /// <inheritdoc/>
    public override byte[] ToBinary(object obj) => Encoding.UTF8.GetBytes(((Happened)obj).Text);

    /// <inheritdoc/>
    public override object FromBinary(byte[] bytes, string manifest) => new Happened(Encoding.UTF8.GetString(bytes));

    /// <inheritdoc/>
    public override string Manifest(object o) => "h";
}
