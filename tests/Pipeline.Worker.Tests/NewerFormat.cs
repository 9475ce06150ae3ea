using Pipeline.Storage;

namespace Pipeline.Worker.Tests;

/// <summary>Makes a data file look as if a later version of the program had written it.</summary>
internal static class NewerFormat
{
    private const int VersionOffset = 72;

    public static unsafe void Mark(string dataFile, int version)
    {
        var bytes = File.ReadAllBytes(dataFile);
        fixed (byte* start = bytes)
        {
            for (var page = 0; page < 2; page++)
            {
                var meta = start + (page * PageLayout.PageSize);
                *(int*)(meta + VersionOffset) = version;
                PageLayout.Checksum(meta) = PageChecksum.Compute(meta, page, 1);
            }
        }
        File.WriteAllBytes(dataFile, bytes);
    }
}
