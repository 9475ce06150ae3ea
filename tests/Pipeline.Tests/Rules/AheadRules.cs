using System.Reflection.PortableExecutable;
using System.Runtime.InteropServices;
using Xunit;

namespace Pipeline.Tests.Rules;

/// <summary>Which assemblies hold machine code, so that no start of a program compiles them.</summary>
public sealed class AheadRules
{
    [SkippableTheory]
    [InlineData("Pipeline.Storage")]
    [InlineData("Pipeline.Database")]
    [InlineData("Microsoft.CodeAnalysis")]
    [InlineData("Microsoft.CodeAnalysis.CSharp")]
    public void A_release_build_for_Linux_holds_machine_code(string assembly)
    {
#if DEBUG
        Skip.If(true, "debug builds hold none");
#endif
        Skip.IfNot(OperatingSystem.IsLinux(), "builds for other systems hold none");
        Skip.IfNot(RuntimeInformation.OSArchitecture == Architecture.X64, "builds for other processors hold none");
        using var file = File.OpenRead(Path.Combine(AppContext.BaseDirectory, assembly + ".dll"));
        using var reader = new PEReader(file);
        Assert.NotEqual(0, reader.PEHeaders.CorHeader!.ManagedNativeHeaderDirectory.Size);
    }
}
