"""A classifier of small images, which are kept compressed and are prepared when they are asked for."""

import random
import sys
import zlib

import torch

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
BATCH = 16
SIDE = 192


class Images(torch.utils.data.Dataset):
    def __init__(self):
        self.files = []
        for image in range(32):
            random.seed(image)
            row = bytes(random.randrange(256) for _ in range(SIDE * 3 // 4)) * 4
            self.files.append(zlib.compress(b"".join(row[i:] + row[:i] for i in range(SIDE)), 6))

    def __len__(self):
        return BATCH * (STEPS + 1)

    def __getitem__(self, index):
        pixels = bytearray(zlib.decompress(self.files[index % len(self.files)]))
        image = torch.frombuffer(pixels, dtype=torch.uint8).reshape(SIDE, SIDE, 3).permute(2, 0, 1).float().div_(255)
        for _ in range(3):  # colour, contrast, blur
            image = image * (0.8 + 0.4 * random.random())
            image = torch.nn.functional.avg_pool2d(image, 3, stride=1, padding=1)
        return image, index % 10


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    width = 64 if device == "cuda" else 6
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, width, 7, stride=4),
        torch.nn.ReLU(),
        torch.nn.Conv2d(width, 2 * width, 3, stride=2),
        torch.nn.ReLU(),
        torch.nn.Conv2d(2 * width, 4 * width, 3, stride=2),
        torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(),
        torch.nn.Linear(4 * width, 10),
    ).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    loader = torch.utils.data.DataLoader(Images(), batch_size=BATCH)
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
